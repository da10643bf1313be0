#include "cli/capture_series.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/json_document.h"
#include "base/time.h"
#include "command/errors.h"
#include "command/output.h"
#include "command/terminal_language.h"
#include "io/atomic_file.h"
#include "present/units.h"
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts> Say;

using Clock = std::chrono::steady_clock;

std::string NameNow() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d_%H-%M-%S", &local);
  return text;
}

// What comes until the other end is closed.
Result<void> AppendAll(int from, AtomicFile& to) {
  std::string block(size_t{64} << 10, '\0');
  while (true) {
    const ssize_t size = read(from, block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {};
    const Result<void> written =
        to.Append(std::string_view(block).substr(0, static_cast<size_t>(size)));
    if (!written) return written;
  }
}

// In a process of its own: a series runs for days, and what a report needs is given back whole.
Result<void> WriteReport(const Captured& captured, const std::string& path) {
  std::vector<std::string> words{"stepscope", "report", "--json", "--"};
  for (const CapturedFile& file : captured.files) words.push_back(file.path);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Result<AtomicFile> file = AtomicFile::Create(path, Overwrite::kAllowed);
  if (!file) return std::unexpected(file.error());
  int ends[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  pid_t child = 0;
  bool started = pipe2(ends, O_CLOEXEC) == 0;
  if (started) {
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    started =
        posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ) == 0;
    close(ends[1]);
  }
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  Result<void> written;
  if (started) written = AppendAll(ends[0], *file);
  if (ends[0] >= 0) close(ends[0]);
  while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!written) return written;
  if (started && WIFEXITED(status) && WEXITSTATUS(status) == kExitFine) return file->Commit();
  return Fail(ErrorCode::kCannotRead, Say("capture.report-failed"), path,
              Say("capture.report-more"));
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // what cannot be read sets a flag; iterators would throw
  return std::move(text).str();
}

std::string LineOf(const SeriesPoint& point) {
  Message line = point.median_step_ns ? Say("capture.series-step", point.name,
                                            FormatDuration(DurationNs(*point.median_step_ns)))
                                      : Say("capture.series-none", point.name);
  if (point.outlier) line = Say("capture.series-outlier", std::move(line));
  return Render(line, TerminalLanguage()) + '\n';
}

class Series {
 public:
  explicit Series(const SeriesOptions& options) : options_(options) {}

  Result<void> Add(const std::function<Result<Captured>(const std::string& folder)>& capture) {
    SeriesPoint point{.name = NameNow()};
    const std::string folder = options_.directory + "/" + point.name;
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    const Result<Captured> captured = capture(folder);
    Result<void> done;
    if (!captured) {
      done = std::unexpected(captured.error());
    } else {
      done = WriteReport(*captured, ReportOf(point));
    }
    if (!done) {
      std::filesystem::remove(folder, ignored);  // only where it is empty
      return done;
    }
    point.median_step_ns = MedianStepIn(ReadText(ReportOf(point)));
    point.outlier = IsOutlier(point.median_step_ns, points_);
    if (!point.outlier) std::filesystem::remove_all(folder, ignored);
    points_.push_back(point);
    DropOldest();
    return WriteOut(LineOf(point));
  }
  bool empty() const { return points_.empty(); }

 private:
  std::string ReportOf(const SeriesPoint& point) const {
    return fmt::format("{}/{}.report.json", options_.directory, point.name);
  }
  void DropOldest() {
    std::error_code ignored;
    while (points_.size() > options_.keep) {
      std::filesystem::remove(ReportOf(points_.front()), ignored);
      std::filesystem::remove_all(options_.directory + "/" + points_.front().name, ignored);
      points_.erase(points_.begin());
    }
  }

  const SeriesOptions& options_;
  std::vector<SeriesPoint> points_;
};

}  // namespace

bool IsOutlier(std::optional<int64_t> median_step_ns, const std::vector<SeriesPoint>& before) {
  constexpr size_t kEnough = 3;
  constexpr double kFar = 0.1;
  std::vector<int64_t> steps;
  for (const SeriesPoint& point : before) {
    if (point.median_step_ns) steps.push_back(*point.median_step_ns);
  }
  if (!median_step_ns || steps.size() < kEnough) return false;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const auto usual = static_cast<double>(*middle);
  return std::abs(static_cast<double>(*median_step_ns) - usual) > kFar * usual;
}

std::optional<int64_t> MedianStepIn(std::string_view report_json) {
  const Result<JsonValue> document = ParseJson(report_json);
  if (!document) return std::nullopt;
  std::optional<int64_t> slowest;
  const auto take = [&](const JsonValue& report) {
    const JsonValue& median = report["steps"]["median_ns"];
    if (!median.is_null()) slowest = std::max(slowest.value_or(0), median.AsInt());
  };
  take(*document);
  for (const JsonValue& report : (*document)["reports"].items()) take(report);
  return slowest;
}

Result<void> RunSeries(const SeriesOptions& options,
                       const std::function<Result<Captured>(const std::string& folder)>& capture) {
  constexpr std::chrono::milliseconds kTick{50};
  Series series(options);
  for (Clock::time_point next = Clock::now(); !options.stop.stop_requested();) {
    next += options.every;
    const Result<void> added = series.Add(capture);
    if (!added && options.stop.stop_requested()) return {};
    if (!added && series.empty()) return added;
    if (!added) (void)PrintError("capture", added.error());
    while (Clock::now() < next && !options.stop.stop_requested()) {
      std::this_thread::sleep_for(kTick);
    }
  }
  return {};
}

}  // namespace stepscope
