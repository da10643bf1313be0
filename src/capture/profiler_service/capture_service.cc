#include "capture/profiler_service/capture_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <random>

#include "capture/grpc/grpc_calls.h"
#include "capture/profiler_service/profile_answer.h"
#include "capture/profiler_service/service_errors.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
constexpr milliseconds kAskAgain{300};  // a busy server
constexpr milliseconds kTerminateAgain{500};
constexpr milliseconds kBusyFor{10'000};
constexpr milliseconds kAnswerWithin{60'000};  // after the end of the capture
// Several servers start at one moment: by then all of them have the request.
constexpr milliseconds kCommonStart{200};

std::string NewSessionId() {
  std::random_device device;
  return fmt::format("stepscope_{:08x}{:08x}", device(), device());
}

std::string FileName(const HostPort& host) {
  std::string name = host.text();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == '[' || c == ']'; }, '_');
  return name;
}

// One server: its call, and what has come of it.
struct Asked {
  HostPort host;
  ProfileAnswer answer;
  size_t call = 0;
  bool ended = false;
  std::optional<Clock::time_point> again;  // busy: when to ask again
};

class ServiceCapture {
 public:
  ServiceCapture(GrpcCalls calls, const std::vector<HostPort>& hosts, const TracerLevels& levels,
                 const CaptureRequest& request)
      : calls_(std::move(calls)), levels_(levels), request_(request) {
    for (const HostPort& host : hosts) {
      asked_.push_back({.host = host,
                        .answer = ProfileAnswer(
                            fmt::format("{}/{}.xplane.pb", request.directory, FileName(host)))});
    }
  }

  Result<Captured> Run() {
    if (asked_.size() > 1) {
      start_ns_ = static_cast<uint64_t>(
          std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch() +
                                   kCommonStart)
              .count());
    }
    collecting_until_ =
        Clock::now() + request_.duration + (start_ns_ != 0 ? kCommonStart : milliseconds(0));
    for (Asked& asked : asked_) Ask(asked);
    while (std::any_of(asked_.begin(), asked_.end(), [](const Asked& a) { return !a.ended; })) {
      calls_.Step(kTick);
      for (Asked& asked : asked_) {
        if (!asked.ended) Look(asked);
      }
      if (request_.stop.stop_requested() && Clock::now() >= next_terminate_) Terminate();
      Tell();
    }
    if (!captured_.files.empty()) return std::move(captured_);
    if (captured_.failures.size() > 1) {
      Sentences& first = captured_.failures[0].sentence;
      first = Say("capture.with-others", std::move(first), captured_.failures.size() - 1);
    }
    return std::unexpected(captured_.failures[0]);
  }

 private:
  void Ask(Asked& asked) {
    ProfileRequest request{.duration = request_.duration,
                           .levels = levels_,
                           .start_ns = start_ns_,
                           .session_id = session_,
                           .host_name = asked.host.text(),
                           .repository_root = {}};
    // Servers from before emit_xspace write the file themselves: here, if this is their machine.
    if (asked.host.is_loopback()) {
      request.repository_root = std::filesystem::absolute(request_.directory);
    }
    asked.again.reset();
    asked.call = calls_.Start(
        {.server = asked.host,
         .method = std::string(kProfileMethod),
         .request = EncodeProfileRequest(request),
         .on_bytes = [&asked](std::string_view bytes) { return asked.answer.Feed(bytes); },
         .limit = request_.duration + kAnswerWithin});
  }

  void Look(Asked& asked) {
    if (asked.again) {
      if (request_.stop.stop_requested()) return GiveUp(asked, Interrupted());
      if (Clock::now() >= *asked.again) Ask(asked);
      return;
    }
    if (calls_.running(asked.call)) return;
    const GrpcOutcome& outcome = calls_.outcome(asked.call);
    if (ServiceIsBusy(outcome) && Clock::now() < first_asked_ + kBusyFor) {
      asked.again = Clock::now() + kAskAgain;
      start_ns_ = 0;  // too late for a common start
      collecting_until_ = *asked.again + request_.duration;
      return;
    }
    End(asked, outcome);
  }

  void End(Asked& asked, const GrpcOutcome& outcome) {
    if (asked.answer.fault()) return GiveUp(asked, *asked.answer.fault());
    const bool cut =
        outcome.end == GrpcEnd::kCut || outcome.end == GrpcEnd::kTooLong ||
        (outcome.end == GrpcEnd::kOk && asked.answer.received() > 0 && !asked.answer.complete());
    if (outcome.end != GrpcEnd::kOk && !cut)
      return GiveUp(asked, ExplainService(outcome, asked.host));
    if (const Result<void> closed = asked.answer.Close(); !closed) {
      return GiveUp(asked, closed.error());
    }
    if (asked.answer.written() > 0) {
      Keep(asked);
      if (cut) {
        captured_.remarks.push_back(Say("capture.answer-cut", asked.host.text(),
                                        asked.answer.received(), asked.answer.announced() + 5));
      }
    } else if (cut) {
      GrpcOutcome nothing = outcome;
      if (nothing.end == GrpcEnd::kOk) nothing.end = GrpcEnd::kCut;
      GiveUp(asked, ExplainService(nothing, asked.host));
    } else if (TakeFileOfOldServer(asked)) {
      Keep(asked);
    } else {
      GiveUp(asked, NoProfile(asked.host));
    }
  }

  // An old server wrote <root>/<session>/<host>.xplane.pb, with _ for the colon.
  bool TakeFileOfOldServer(const Asked& asked) {
    const std::filesystem::path folder = std::filesystem::path(request_.directory) / session_;
    std::string name = asked.host.text();
    std::replace(name.begin(), name.end(), ':', '_');
    std::error_code error;
    std::filesystem::rename(folder / (name + ".xplane.pb"), asked.answer.path(), error);
    if (error) return false;
    std::filesystem::remove(folder, error);
    return true;
  }

  static Error NoProfile(const HostPort& host) {
    return {ErrorCode::kUnsupported,
            Say("capture.without-profile", host.text()),
            {},
            {},
            host.is_loopback() ? Say("capture.update") : Say("capture.update-or-there")};
  }

  static Error Interrupted() {
    return {ErrorCode::kInterrupted, Say("capture.interrupted-before"), {}, {}, {}};
  }

  void Keep(Asked& asked) {
    std::error_code error;
    CapturedFile file{.path = asked.answer.path(),
                      .source = asked.host.text(),
                      .bytes = std::filesystem::file_size(asked.answer.path(), error),
                      .why_empty = {}};
    if (asked.answer.empty_trace()) {
      file.why_empty = Say("capture.nothing-ran", asked.host.text());
    }
    captured_.files.push_back(std::move(file));
    asked.ended = true;
  }

  void GiveUp(Asked& asked, Error error) {
    captured_.failures.push_back(std::move(error));
    asked.ended = true;
  }

  // The servers end early and send what they have. To cancel the calls would lose that.
  void Terminate() {
    // Again and again: a server that has not begun yet forgets it.
    next_terminate_ = Clock::now() + kTerminateAgain;
    collecting_until_ = Clock::now();
    for (const Asked& asked : asked_) {
      if (asked.ended || asked.again) continue;
      calls_.Start({.server = asked.host,
                    .method = std::string(kTerminateMethod),
                    .request = EncodeTerminateRequest(session_),
                    .limit = kAnswerWithin});
    }
  }

  void Tell() const {
    CaptureMoment moment;
    size_t waiting = 0;
    bool connected = true, busy = false;
    for (const Asked& asked : asked_) {
      moment.bytes += asked.answer.received();
      if (asked.ended) continue;
      if (waiting++ == 0) moment.what = asked.host.text();
      busy = busy || asked.again;
      connected = connected && (asked.again || calls_.connected(asked.call));
    }
    if (waiting > 1) moment.what = Say("capture.of-hosts", waiting, asked_.size());
    const auto left = std::chrono::duration<double>(collecting_until_ - Clock::now()).count();
    moment.phase = busy         ? CapturePhase::kOthers
                   : !connected ? CapturePhase::kConnecting
                   : left > 0   ? CapturePhase::kCollecting
                                : CapturePhase::kWriting;
    if (moment.phase == CapturePhase::kCollecting) moment.seconds_left = left;
    request_.on_moment(moment);
  }

  GrpcCalls calls_;
  const TracerLevels levels_;
  const CaptureRequest& request_;
  const std::string session_ = NewSessionId();
  const Clock::time_point first_asked_ = Clock::now();
  uint64_t start_ns_ = 0;
  Clock::time_point collecting_until_;
  Clock::time_point next_terminate_;
  std::deque<Asked> asked_;  // calls keep references
  Captured captured_;
};

}  // namespace

Result<Captured> CaptureFromService(const std::vector<HostPort>& hosts, const TracerLevels& levels,
                                    const CaptureRequest& request) {
  Result<GrpcCalls> calls = GrpcCalls::Make();
  if (!calls) return std::unexpected(calls.error());
  return ServiceCapture(std::move(*calls), hosts, levels, request).Run();
}

}  // namespace stepscope
