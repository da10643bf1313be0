#include "serve/profile_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "io/byte_source.h"
#include "read/logdir.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

FileType Sniff(const std::string& path) {
  Result<OpenedSource> source = OpenSource(path);
  if (!source) return FileType::kUnknown;
  std::string head(kSniffedBytes, '\0');
  size_t filled = 0;
  while (filled < head.size()) {
    const Result<size_t> got = source->bytes->Read(std::span(head).subspan(filled));
    if (!got || *got == 0) break;
    filled += *got;
  }
  head.resize(filled);
  return FileTypeOf(head);
}

bool IsProfile(FileType type) {
  return type == FileType::kChromeJson || type == FileType::kXPlane ||
         type == FileType::kRunMetadata || type == FileType::kRecording;
}

std::vector<std::string> FilesBelow(const std::string& directory, bool (*wanted)(FileType)) {
  constexpr size_t kMostFiles = 2000;
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied,
                                      error);
  for (const fs::recursive_directory_iterator end; !error && at != end && files.size() < kMostFiles;
       at.increment(error)) {
    std::error_code ignored;
    const bool hidden = at->path().filename().string().starts_with('.');
    if (hidden && at->is_directory(ignored)) at.disable_recursion_pending();
    if (hidden || !at->is_regular_file(ignored)) continue;
    if (wanted(FileTypeAt(at->path().string()))) files.push_back(at->path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

// A watched directory is looked at often.
FileType FileTypeAt(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<uintmax_t, FileType>> known;
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  std::lock_guard lock(mutex);
  const auto found = known.find(path);
  if (found != known.end() && found->second.first == bytes) return found->second.second;
  const FileType type = Sniff(path);
  known[path] = {bytes, type};
  return type;
}

std::vector<ProfileFiles> ProfilesOf(const std::vector<std::string>& paths) {
  std::vector<ProfileFiles> profiles;
  std::vector<std::string> beside;  // graphs, which belong to the RunMetadata given with them
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      const bool graph = path != "-" && FileTypeAt(path) == FileType::kGraphDef;
      if (graph) beside.push_back(path);
      if (!graph) profiles.push_back({{path}, true});
      continue;
    }
    const std::vector<std::string> found = FilesBelow(path, IsProfile);
    if (found.size() != 1) profiles.push_back({{path}, true});
    for (const std::string& file : found) profiles.push_back({{file}, found.size() == 1});
  }
  for (ProfileFiles& profile : profiles) {
    const std::string& first = profile.paths.front();
    if (beside.empty() || !profile.named || first == "-") continue;
    if (FileTypeAt(first) != FileType::kRunMetadata) continue;
    profile.paths.insert(profile.paths.end(), beside.begin(), beside.end());
  }
  if (profiles.empty()) profiles.push_back({paths, true});
  return profiles;
}

std::string GraphAmong(const std::vector<std::string>& paths, const std::string& trace) {
  std::vector<TypedFile> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-") continue;
    if (!fs::is_directory(path, error)) {
      files.push_back({path, FileTypeAt(path), true});
      continue;
    }
    const auto wanted = [](FileType type) {
      return type == FileType::kGraphDef || type == FileType::kRunMetadata;
    };
    for (std::string& file : FilesBelow(path, wanted)) {
      const FileType type = FileTypeAt(file);
      files.push_back({std::move(file), type, false});
    }
  }
  for (const FileGroup& group : GroupFiles(files)) {
    if (group.type != FileType::kRunMetadata) continue;
    if (std::ranges::find(group.files, trace) != group.files.end()) return group.graph;
  }
  const auto graph = std::ranges::find(files, FileType::kGraphDef, &TypedFile::type);
  return graph == files.end() ? std::string() : graph->path;
}

}  // namespace stepscope
