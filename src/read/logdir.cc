#include "read/logdir.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

namespace fs = std::filesystem;

std::string NameOfFile(const std::string& path) { return fs::path(path).filename().string(); }
std::string FolderOf(const std::string& path) { return fs::path(path).parent_path().string(); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view WithoutCompression(std::string_view name) {
  for (const std::string_view extension : {".gz", ".zst"}) {
    if (name.ends_with(extension)) return name.substr(0, name.size() - extension.size());
  }
  return name;
}

// ".../plugins/profile/RUN/file": the logdir and the run, both empty for other files.
struct ProfileRun {
  std::string logdir;
  std::string run;
};
ProfileRun RunOf(const std::string& path) {
  constexpr std::string_view kFolder = "plugins/profile/";
  const size_t at = path.find(kFolder);
  if (at == std::string::npos || (at > 0 && path[at - 1] != '/')) return {};
  const size_t begin = at + kFolder.size();
  const size_t end = path.find('/', begin);
  if (end == std::string::npos) return {};
  return {path.substr(0, at), path.substr(begin, end - begin)};
}

// "2026_11_15_08_17_32": runs are called after their time unless the user named them.
bool IsDated(std::string_view run) {
  return run.size() >= 10 && IsDigit(run[0]) && IsDigit(run[3]) && run[4] == '_' && run[7] == '_';
}

// Newer runs are greater: dated names by themselves, others by the time of their files.
struct Age {
  bool dated = false;
  std::string date;
  fs::file_time_type written;
  std::string run;
  friend bool operator<(const Age& a, const Age& b) {
    if (a.dated && b.dated) return a.date < b.date;
    if (a.written != b.written) return a.written < b.written;
    return a.run < b.run;
  }
};

Age AgeOf(const std::string& run, const std::string& file) {
  std::error_code error;
  fs::file_time_type written = fs::last_write_time(file, error);
  if (error) written = fs::file_time_type::min();
  return {IsDated(run), IsDated(run) ? run : std::string(), written, run};
}

// Which run of each logdir to read.
Result<std::map<std::string, std::string>> ChooseRuns(const std::string& directory,
                                                      const std::vector<std::string>& files,
                                                      const std::string& wanted) {
  std::map<std::string, Age> newest;
  std::map<std::string, std::string> chosen;
  std::set<std::string> names;
  for (const std::string& file : files) {
    const ProfileRun run = RunOf(file);
    if (run.run.empty()) continue;
    names.insert(run.run);
    if (!wanted.empty()) {
      if (run.run == wanted) chosen[run.logdir] = wanted;
      continue;
    }
    const Age age = AgeOf(run.run, file);
    const auto [at, is_new] = newest.try_emplace(run.logdir, age);
    if (!is_new && at->second < age) at->second = age;
    chosen[run.logdir] = at->second.run;
  }
  if (!wanted.empty() && chosen.empty()) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return Fail(ErrorCode::kUsage, Say("read.no-run", wanted), directory,
                list.empty() ? Say("read.no-runs") : Say("read.runs", list));
  }
  return chosen;
}

bool IsXPlaneName(std::string_view name) {
  return WithoutCompression(name).ends_with(".xplane.pb");
}

// Made by a profiler or by XProf out of the XPlane in the same folder.
bool IsMadeFromXPlane(std::string_view name) {
  const std::string_view bare = WithoutCompression(name);
  for (const std::string_view ending :
       {".trace.json", "perfetto_trace.json", ".SSTABLE", ".op_stats_v2.pb", ".op_stats.pb",
        ".hlo_proto.pb", ".dcn_collective_stats.pb", ".smart_suggestion.pb", "cache_version.txt",
        ".overview_page.pb", ".input_pipeline.pb", ".tensorflow_stats.pb", ".kernel_stats.pb",
        ".memory_profile.json"}) {
    if (bare.ends_with(ending)) return true;
  }
  return false;
}

std::string WithoutDigits(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!IsDigit(c)) out += c;
  }
  return out;
}

// The name that the file has when it is not compressed.
std::string_view Uncompressed(std::string_view name) {
  for (const std::string_view ending : {".gz", ".zst"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const auto [at, other] = std::ranges::mismatch(a, b);
  return static_cast<size_t>(at - a.begin());
}

// The numbers in a name, so that run_meta_10 comes after run_meta_9.
std::vector<uint64_t> NumbersIn(std::string_view name) {
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsDigit(name[i])) continue;
    uint64_t number = 0;
    for (; i < name.size() && IsDigit(name[i]); ++i) {
      number = number * 10 + static_cast<uint64_t>(name[i] - '0');
    }
    numbers.push_back(number);
  }
  return numbers;
}

bool Holds(const std::string& folder, const std::string& other) {
  return folder.empty() || other == folder || other.starts_with(folder + '/');
}

// A graph of another folder: of a SavedModel below or above the run, or named with it.
bool MayExplain(const TypedFile& graph, const TypedFile& run) {
  const std::string a = FolderOf(graph.path), b = FolderOf(run.path);
  return (graph.named && run.named) || Holds(a, b) || Holds(b, a);
}

// The graph whose name begins like the run's; the only one of the folder where there is one, or
// the only one that may be meant where the folder has none.
std::string GraphFor(const TypedFile& run, const std::vector<TypedFile>& files) {
  const std::string name = NameOfFile(run.path);
  std::vector<std::string> in_folder, elsewhere;
  std::string best;
  size_t best_prefix = 0;
  for (const TypedFile& file : files) {
    if (file.type != FileType::kGraphDef) continue;
    if (FolderOf(file.path) != FolderOf(run.path)) {
      if (MayExplain(file, run)) elsewhere.push_back(file.path);
      continue;
    }
    in_folder.push_back(file.path);
    const size_t prefix = CommonPrefix(name, NameOfFile(file.path));
    if (prefix > best_prefix && name.substr(0, prefix).ends_with('.')) {
      best = file.path;
      best_prefix = prefix;
    }
  }
  // A checkpoint's .meta beside the graph itself holds the same graph and more.
  if (in_folder.size() > 1 && best.empty()) {
    std::erase_if(in_folder,
                  [](const std::string& path) { return Uncompressed(path).ends_with(".meta"); });
  }
  if (in_folder.size() == 1) return in_folder.front();
  return in_folder.empty() && elsewhere.size() == 1 ? elsewhere.front() : best;
}

}  // namespace

Result<std::vector<std::string>> SelectFromLogdir(const std::string& directory,
                                                  std::vector<std::string> files,
                                                  const std::string& run) {
  const auto chosen = ChooseRuns(directory, files, run);
  if (!chosen) return std::unexpected(chosen.error());
  std::set<std::string> with_xplane;
  for (const std::string& file : files) {
    if (IsXPlaneName(NameOfFile(file))) with_xplane.insert(FolderOf(file));
  }
  std::erase_if(files, [&](const std::string& file) {
    const ProfileRun of = RunOf(file);
    if (!of.run.empty()) {
      const auto at = chosen->find(of.logdir);
      if (at == chosen->end() || at->second != of.run) return true;
    } else if (!run.empty()) {
      return true;
    }
    return IsMadeFromXPlane(NameOfFile(file)) && with_xplane.contains(FolderOf(file));
  });
  return files;
}

std::vector<FileGroup> GroupFiles(const std::vector<TypedFile>& files) {
  std::vector<FileGroup> groups;
  std::map<std::string, size_t> runs;  // group by folder and name without digits
  std::set<std::string> used_graphs;
  for (const TypedFile& file : files) {
    if (file.type == FileType::kRunMetadata) {
      const std::string key =
          FolderOf(file.path) + '/' + WithoutDigits(Uncompressed(NameOfFile(file.path)));
      const auto [at, is_new] = runs.try_emplace(key, groups.size());
      if (!is_new) {
        groups[at->second].files.push_back(file.path);
        continue;
      }
      groups.push_back({{file.path}, GraphFor(file, files), file.type, file.named});
      used_graphs.insert(groups.back().graph);
    } else {
      groups.push_back({{file.path}, {}, file.type, file.named});
    }
  }
  for (FileGroup& group : groups) {
    std::ranges::stable_sort(group.files, {},
                             [](const std::string& path) { return NumbersIn(NameOfFile(path)); });
  }
  std::erase_if(groups, [&](const FileGroup& group) {
    return group.type == FileType::kGraphDef && used_graphs.contains(group.files.front());
  });
  return groups;
}

}  // namespace stepscope
