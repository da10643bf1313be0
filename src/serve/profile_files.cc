#include "serve/profile_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "read/open.h"
#include "read/recording/recording.h"
#include "read/sqlite_readers.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// The type of a file by its first bytes; read again only when its size has changed, because a
// watched directory is looked at often. Safe to call from many threads.
FileType KnownTypeOf(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::pair<uintmax_t, FileType>> known;
  std::error_code error;
  // What comes through a pipe can be read only once, and not here.
  if (!fs::is_regular_file(path, error)) return FileType::kUnknown;
  const uintmax_t bytes = fs::file_size(path, error);
  const std::lock_guard lock(mutex);
  const auto found = known.find(path);
  if (found != known.end() && found->second.first == bytes) return found->second.second;
  FileType type = FileTypeAt(path);
  // Many programs keep databases; only some are profiles.
  if (type == FileType::kSqlite && !IsSqliteProfile(path)) type = FileType::kUnknown;
  known[path] = {bytes, type};
  return type;
}

std::vector<std::string> ProfilesBelow(const std::string& directory) {
  constexpr size_t kMostFiles = 2000;
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied,
                                      error);
  for (const fs::recursive_directory_iterator end; !error && at != end && files.size() < kMostFiles;
       at.increment(error)) {
    std::error_code ignored;
    const bool hidden = at->path().filename().string().starts_with('.');
    const bool is_recording = !hidden && recording::IsRecording(at->path().string());
    if (is_recording) files.push_back(at->path().string());
    if ((hidden || is_recording) && at->is_directory(ignored)) at.disable_recursion_pending();
    if (hidden || !at->is_regular_file(ignored)) continue;
    if (FactsOf(KnownTypeOf(at->path().string())).use == FileUse::kProfile) {
      files.push_back(at->path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<ProfileFiles> ProfilesOf(const std::vector<std::string>& paths) {
  std::vector<ProfileFiles> profiles;
  // What belongs to profiles that were given with it: graphs to RunMetadata, execution traces to
  // PyTorch's profiles.
  std::vector<std::string> graphs, executions;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      const FileType type = path == "-" ? FileType::kUnknown : KnownTypeOf(path);
      if (type == FileType::kGraphDef) {
        graphs.push_back(path);
      } else if (type == FileType::kExecutionTrace) {
        executions.push_back(path);
      } else {
        profiles.push_back({{path}, true});
      }
      continue;
    }
    // A recording is one profile, whatever files its directory holds.
    if (recording::IsRecording(path)) {
      profiles.push_back({{path}, true});
      continue;
    }
    const std::vector<std::string> found = ProfilesBelow(path);
    if (found.size() != 1) profiles.push_back({{path}, true});
    for (const std::string& file : found) profiles.push_back({{file}, found.size() == 1});
  }
  static const std::vector<std::string> kNone;
  for (ProfileFiles& profile : profiles) {
    const std::string first = profile.paths.front();
    if (!profile.named || first == "-") continue;
    const FileType type = KnownTypeOf(first);
    const std::vector<std::string>& beside = type == FileType::kRunMetadata  ? graphs
                                             : type == FileType::kChromeJson ? executions
                                                                             : kNone;
    profile.paths.insert(profile.paths.end(), beside.begin(), beside.end());
  }
  if (profiles.empty()) profiles.push_back({paths, true});
  return profiles;
}

}  // namespace stepscope
