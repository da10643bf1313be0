#include "capture/serving/capture_serving.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <thread>

#include "capture/json_text.h"
#include "capture/processes/listeners.h"
#include "capture/processes/processes.h"
#include "capture/serving/http_client.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
// vLLM answers stop_profile when all files are written: minutes for large models.
constexpr int kStopSeconds = 900;
constexpr int kMetricsSeconds = 5;
constexpr milliseconds kFilesWithin{120'000};
constexpr milliseconds kRequestsWithin{600'000};

std::string_view NameOf(TargetKind kind) { return kind == TargetKind::kVllm ? "vLLM" : "SGLang"; }

Message HowToEnable(TargetKind kind) {
  return kind == TargetKind::kVllm ? Say("capture.enable-vllm") : Say("capture.update-sglang");
}

// Only SGLang counts steps.
ServingOptions WithoutSteps(ServingOptions options, TargetKind kind) {
  if (kind != TargetKind::kSglang) options.steps = 0;
  return options;
}

class ServingCapture {
 public:
  ServingCapture(const CaptureTarget& target, const ServingOptions& options,
                 const CaptureRequest& request, HttpClient client)
      : kind_(target.kind),
        server_(target.hosts[0]),
        options_(WithoutSteps(options, target.kind)),
        request_(request),
        client_(std::move(client)) {}

  Result<Captured> Run() {
    if (const Result<void> found = FindFolder(); !found) return std::unexpected(found.error());
    if (const Result<void> started = Start(); !started) return std::unexpected(started.error());
    Wait();
    Tell(CapturePhase::kWriting, 0);
    // With steps, SGLang stops by itself.
    if (options_.steps == 0 || request_.stop.stop_requested()) {
      if (const Result<void> stopped = Post("/stop_profile", ""); !stopped) {
        return std::unexpected(stopped.error());
      }
    }
    return Collect();
  }

 private:
  std::unexpected<Error> Refuse(Sentences sentence, Sentences next) const {
    return Fail(ErrorCode::kCannotRead,
                Say("capture.of-server", server_.text(), std::move(sentence)), {}, std::move(next));
  }

  Result<void> Post(const char* path, const std::string& body) {
    const Result<HttpReply> answer = client_.Ask(path, body, kStopSeconds);
    if (!answer) return Refuse(answer.error().sentence, answer.error().next_step);
    if (answer->status == 404 || answer->status == 405) {
      return Refuse(Say("capture.not-enabled", NameOf(kind_)), HowToEnable(kind_));
    }
    if (answer->status / 100 != 2) {
      return Refuse(Say("capture.answers-http", NameOf(kind_), answer->status, path,
                        answer->body.substr(0, 200)),
                    Say("capture.wait-or-log"));
    }
    return {};
  }

  // SGLang writes where we say. vLLM writes where its command line or environment says.
  Result<void> FindFolder() {
    std::error_code error;
    if (!options_.from.empty()) {
      folder_ = options_.from;
    } else if (kind_ == TargetKind::kSglang && server_.is_loopback()) {
      folder_ = std::filesystem::absolute(request_.directory, error);
    } else if (server_.is_loopback()) {
      folder_ = FolderOfServer();
    }
    if (folder_.empty()) {
      return Refuse(Say("capture.where-unknown"), server_.is_loopback()
                                                      ? Say("capture.or-folder", HowToEnable(kind_))
                                                      : Say("capture.name-folder"));
    }
    if (!std::filesystem::is_directory(folder_, error)) {
      return Fail(ErrorCode::kCannotRead, Say("capture.folder-not-here"), folder_,
                  Say("capture.name-mounted"));
    }
    return {};
  }

  std::string FolderOfServer() const {
    const std::vector<ProcessFacts> processes = ReadProcesses();
    for (const PortListener& listener : ReadListeners()) {
      if (listener.port != server_.port) continue;
      for (const ProcessFacts& process : processes) {
        if (process.pid != listener.pid) continue;
        std::string folder = ProfilerFolderIn(process.command);
        if (folder.empty()) folder = process.variable("VLLM_TORCH_PROFILER_DIR");
        if (!folder.empty()) return folder;
      }
    }
    return {};
  }

  Result<void> Start() {
    started_ = std::filesystem::file_time_type::clock::now() - std::chrono::seconds(1);
    Tell(CapturePhase::kConnecting, 0);
    std::string body;
    if (kind_ == TargetKind::kSglang) {
      body =
          fmt::format(R"({{"output_dir":{},"activities":["CPU","GPU"]{}}})", JsonQuoted(folder_),
                      options_.steps > 0 ? fmt::format(R"(,"num_steps":{})", options_.steps) : "");
    }
    return Post("/start_profile", body);
  }

  double Answered() {
    const Result<HttpReply> metrics = client_.Ask("/metrics", std::nullopt, kMetricsSeconds);
    if (!metrics) return 0;
    return SumOfCounter(metrics->body, kind_ == TargetKind::kVllm ? "vllm:request_success_total"
                                                                  : "sglang:num_requests_total");
  }

  void Wait() {
    if (options_.steps > 0) return;
    const double before = options_.requests > 0 ? Answered() : 0;
    const Clock::time_point end =
        Clock::now() + (options_.requests > 0 ? kRequestsWithin : request_.duration);
    while (Clock::now() < end && !request_.stop.stop_requested()) {
      if (options_.requests > 0) {
        const double answered = Answered() - before;
        if (answered >= static_cast<double>(options_.requests)) return;
        what_ = Say("capture.of-requests", server_.text(), answered, options_.requests);
        std::this_thread::sleep_for(kTick * 3);
      }
      Tell(CapturePhase::kCollecting, std::chrono::duration<double>(end - Clock::now()).count());
      std::this_thread::sleep_for(kTick);
    }
    what_ = server_.text();
  }

  static bool IsTrace(const std::string& name) {
    return name.ends_with(".json") || name.ends_with(".json.gz");
  }

  // path -> bytes of the profiles that are newer than the start.
  std::map<std::string, uint64_t> NewFiles() const {
    std::map<std::string, uint64_t> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             folder_, std::filesystem::directory_options::skip_permission_denied, error)) {
      std::error_code gone;
      if (!entry.is_regular_file(gone) || !IsTrace(entry.path().string())) continue;
      if (entry.last_write_time(gone) >= started_ && entry.file_size(gone) > 0) {
        files[entry.path()] = entry.file_size(gone);
      }
    }
    return files;
  }

  // The files are whole when there are some and none has grown for a second.
  Result<Captured> Collect() {
    constexpr milliseconds kRest{1000};
    const Clock::time_point give_up = Clock::now() + kFilesWithin;
    std::map<std::string, uint64_t> files;
    Clock::time_point changed = Clock::now();
    while (Clock::now() < give_up && (files.empty() || Clock::now() - changed < kRest)) {
      std::map<std::string, uint64_t> now = NewFiles();
      if (now != files) changed = Clock::now();
      files = std::move(now);
      Tell(CapturePhase::kWriting, 0);
      std::this_thread::sleep_for(kTick);
    }
    if (files.empty()) {
      return Fail(ErrorCode::kCannotRead, Say("capture.wrote-none"), folder_,
                  Say("capture.send-requests"));
    }
    return Take(files);
  }

  Result<Captured> Take(const std::map<std::string, uint64_t>& files) {
    Captured captured;
    std::error_code error;
    for (const auto& [path, bytes] : files) {
      const std::filesystem::path to =
          std::filesystem::path(request_.directory) / std::filesystem::path(path).filename();
      // What SGLang wrote into our folder is there.
      if (!std::filesystem::equivalent(path, to, error)) {
        std::filesystem::copy_file(path, to, error);
        if (error) {
          return Fail(ErrorCode::kCannotWrite, Say("capture.cannot-copy", error.message()), path,
                      Say("capture.check-folder"));
        }
      }
      captured.files.push_back({to, server_.text(), bytes, {}});
    }
    return captured;
  }

  void Tell(CapturePhase phase, double left) const {
    request_.on_moment({.phase = phase, .seconds_left = left, .what = what_});
  }

  const TargetKind kind_;
  const HostPort server_;
  const ServingOptions options_;
  const CaptureRequest& request_;
  HttpClient client_;
  std::string folder_;
  Sentences what_ = server_.text();
  std::filesystem::file_time_type started_;
};

}  // namespace

Result<Captured> CaptureFromServing(const CaptureTarget& target, const ServingOptions& options,
                                    const CaptureRequest& request) {
  Result<HttpClient> client = HttpClient::To(target.hosts[0]);
  if (!client) return std::unexpected(client.error());
  return ServingCapture(target, options, request, std::move(*client)).Run();
}

double SumOfCounter(std::string_view metrics, std::string_view name) {
  double sum = 0;
  while (!metrics.empty()) {
    const size_t end = std::min(metrics.find('\n'), metrics.size());
    const std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(std::min(end + 1, metrics.size()));
    if (!line.starts_with(name)) continue;
    const char next = line.size() > name.size() ? line[name.size()] : '\0';
    const size_t value_at = next == '{' ? line.rfind('}') + 1 : name.size();
    if ((next != '{' && next != ' ') || value_at >= line.size()) continue;
    double value = 0;
    const size_t digits = line.find_first_not_of(' ', value_at);
    if (digits == std::string_view::npos) continue;
    std::from_chars(line.data() + digits, line.data() + line.size(), value);
    sum += value;
  }
  return sum;
}

// "--profiler-config {"profiler":"torch","torch_profiler_dir":"/dir"}" or
// "--profiler-config.torch_profiler_dir=/dir".
std::string ProfilerFolderIn(std::string_view command) {
  constexpr std::string_view kKey = "torch_profiler_dir";
  const size_t key = command.find(kKey);
  if (key == std::string_view::npos) return {};
  const size_t begin = command.find_first_not_of("\"': =", key + kKey.size());
  if (begin == std::string_view::npos) return {};
  const bool quoted = command[begin - 1] == '"' || command[begin - 1] == '\'';
  const size_t end = command.find_first_of(quoted ? "\"'" : " ,}", begin);
  return std::string(command.substr(begin, end - begin));
}

}  // namespace stepscope
