#include "record/window_watch.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/diagnostics.h"
#include "read/recording/recording_file.h"
#include "words/record.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string FactOf(const recording::RecordingFile& file, const char* key) {
  const auto at = file.facts.find(key);
  return at == file.facts.end() ? std::string() : at->second;
}

std::string GpuOf(const std::string& directory) {
  Diagnostics ignored;
  const auto file = recording::ReadRecordingFile(directory + "/gpu-counters.ssrec", ignored);
  return file ? FactOf(*file, "gpu") : std::string();
}

}  // namespace

Message LineOf(const RecordingWindow& window) {
  constexpr SayFrom<kRecordTexts> say;
  Message line = window.last ? say("record.window.steps", window.first, *window.last)
                             : say("record.window.from", window.first);
  if (!window.rank.empty()) line = say("record.window.rank", line, window.rank);
  if (!window.framework.empty()) {
    const std::string version = window.version.empty() ? std::string() : ' ' + window.version;
    line = say("record.window.with", line, window.framework + version);
  }
  return window.gpu.empty() ? line : say("record.window.with", line, window.gpu);
}

std::optional<RecordingWindow> FindWindow(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(directory, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    if (at->path().filename().string().ends_with("-steps.ssrec")) {
      paths.push_back(at->path().string());
    }
  }
  std::sort(paths.begin(), paths.end());  // the lowest rank first
  // Read again and again until the window begins: a file that is long by then is left alone.
  constexpr uintmax_t kMostBytes = 4 << 20;
  for (const std::string& path : paths) {
    if (fs::file_size(path, error) > kMostBytes) continue;
    Diagnostics ignored;
    const auto file = recording::ReadRecordingFile(path, ignored);
    if (!file || !file->facts.contains("window_from")) continue;
    RecordingWindow window{.first = file->NumberOf("window_from", 0),
                           .rank = FactOf(*file, "rank"),
                           .framework = FactOf(*file, "framework"),
                           .version = FactOf(*file, "framework_version"),
                           .gpu = GpuOf(directory)};
    const int64_t count = file->NumberOf("window_count", 0);
    if (count > 0) window.last = window.first + count - 1;
    return window;
  }
  return std::nullopt;
}

}  // namespace stepscope
