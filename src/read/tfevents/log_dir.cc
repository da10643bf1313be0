#include "read/tfevents/log_dir.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "words/read.h"
#include "words/system_reason.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

}  // namespace
namespace fs = std::filesystem;

bool IsEventFileName(std::string_view name) {
  return name.contains("tfevents") && !name.ends_with(".profile-empty");
}

Result<std::vector<EventRun>> FindEventRuns(const std::vector<std::string>& paths) {
  std::map<std::string, EventRun> runs;
  const auto add = [&](const fs::path& file, const fs::path& root, const std::string& prefix) {
    std::error_code error;
    std::string name = file.parent_path().lexically_relative(root).generic_string();
    if (name.empty()) name = ".";
    if (!prefix.empty()) name = name == "." ? prefix : prefix + "/" + name;
    EventRun& run = runs[name];
    run.name = name;
    run.files.push_back(file.string());
    const auto bytes = fs::file_size(file, error);
    if (!error) run.bytes += bytes;
  };
  for (const std::string& path : paths) {
    std::error_code error;
    const std::string prefix = paths.size() > 1 ? fs::path(path).lexically_normal().string() : "";
    if (!fs::exists(path, error)) {
      return Fail(ErrorCode::kCannotRead, SystemReason(ENOENT), path);
    }
    if (!fs::is_directory(path, error)) {
      add(path, fs::path(path).parent_path(), "");
      continue;
    }
    const auto options = fs::directory_options::skip_permission_denied;
    fs::recursive_directory_iterator entry(path, options, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      std::error_code unreadable;
      if (entry->is_regular_file(unreadable) &&
          IsEventFileName(entry->path().filename().string())) {
        add(entry->path(), path, prefix);
      }
    }
  }
  if (runs.empty()) {
    return Fail(ErrorCode::kCannotRead, Say("read.no-event-files"),
                paths.empty() ? "" : paths.front(), Say("read.give-log-dir"));
  }
  std::vector<EventRun> found;
  for (auto& [name, run] : runs) {
    std::ranges::sort(run.files);
    found.push_back(std::move(run));
  }
  return found;
}

}  // namespace stepscope
