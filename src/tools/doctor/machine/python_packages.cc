#include "tools/doctor/machine/python_packages.h"
#include "words/tools.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

namespace fs = std::filesystem;

std::vector<std::string> Lines(const std::string& text, char separator) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The usual places of packages below the prefix of an installation.
std::vector<std::string> PackagesBelow(const RootFiles& files, const std::string& prefix) {
  std::vector<std::string> found;
  for (const char* lib : {"/lib", "/lib64", "/local/lib"}) {
    for (const std::string& name : files.List(prefix + lib)) {
      if (!name.starts_with("python3")) continue;
      for (const char* kind : {"/site-packages", "/dist-packages"}) {
        std::string path = prefix + lib + "/" + name + kind;
        if (files.Exists(path)) found.push_back(std::move(path));
      }
    }
  }
  return found;
}

// The lines that a command prints; its arguments must be safe in single quotes.
std::vector<std::string> Output(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return {};
  std::string text;
  std::array<char, 4096> part;
  while (const size_t got = std::fread(part.data(), 1, part.size(), pipe.get())) {
    text.append(part.data(), got);
  }
  return Lines(text, '\n');
}

std::string FirstOnPath(const RootFiles& files, const std::string& search_path) {
  for (const std::string& directory : Lines(search_path, ':')) {
    for (const char* name : {"/python3", "/python"}) {
      if (files.Exists(directory + name)) return directory + name;
    }
  }
  return {};
}

bool IsExecutable(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

}  // namespace

PythonPlace FindPython(const RootFiles& files, const std::string& python,
                       const std::string& search_path) {
  PythonPlace place;
  std::string path = python.empty() ? FirstOnPath(files, search_path) : python;
  if (path.empty()) {
    place.fault = Say("doctor.no-python");
    return place;
  }
  std::error_code error;
  if (fs::is_directory(files.PathOf(path), error)) {
    place.packages = PackagesBelow(files, path);
    if (place.packages.empty()) place.packages.push_back(path);
    return place;
  }
  if (!files.Exists(path)) {
    place.fault = Say("doctor.no-such-python", path);
    return place;
  }
  place.executable = path;
  const bool safe = !path.contains('\'');
  if (!files.recorded() && safe && IsExecutable(path)) {
    const std::vector<std::string> lines =
        Output("'" + path +
               "' -c 'import sys; print(\"\\n\".join(p for p in sys.path if p))' 2>/dev/null");
    for (const std::string& line : lines) {
      if (line.starts_with('/') && fs::is_directory(line, error)) place.packages.push_back(line);
    }
  }
  if (place.packages.empty()) {
    const std::string prefix = fs::path(path).parent_path().parent_path().string();
    place.packages = PackagesBelow(files, prefix);
  }
  if (place.packages.empty()) place.fault = Say("doctor.no-packages", path);
  return place;
}

std::vector<std::string> NvidiaLibraryDirectories(const RootFiles& files,
                                                  const PythonPlace& python) {
  std::vector<std::string> directories;
  for (const std::string& packages : python.packages) {
    for (const std::string& name : files.List(packages + "/nvidia")) {
      std::string lib = packages + "/nvidia/" + name + "/lib";
      if (files.Exists(lib)) directories.push_back(std::move(lib));
    }
  }
  return directories;
}

ProtobufFacts FindProtobuf(const RootFiles& files, const PythonPlace& python,
                           const std::string& forced_implementation) {
  ProtobufFacts facts;
  for (const std::string& packages : python.packages) {
    const auto init = files.Text(packages + "/google/protobuf/__init__.py");
    if (!init) continue;
    const size_t at = init->find("__version__ = ");
    if (at != std::string::npos) {
      const size_t open = init->find_first_of("'\"", at);
      const size_t close = init->find_first_of("'\"", open + 1);
      if (close != std::string::npos) facts.version = init->substr(open + 1, close - open - 1);
    }
    const auto has = [&](const char* folder) {
      return std::ranges::any_of(files.List(packages + folder), [](const std::string& name) {
        return name.starts_with("_message") && name.contains(".so");
      });
    };
    facts.implementation = has("/google/_upb")             ? "upb"
                           : has("/google/protobuf/pyext") ? "cpp"
                                                           : "python";
    break;
  }
  if (!facts.implementation.empty() && !forced_implementation.empty()) {
    facts.forced = forced_implementation != facts.implementation;
    facts.implementation = forced_implementation;
  }
  return facts;
}

}  // namespace stepscope
