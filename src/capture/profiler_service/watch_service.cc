#include "capture/profiler_service/watch_service.h"

#include <algorithm>
#include <chrono>

#include "capture/grpc/grpc_calls.h"
#include "capture/profiler_service/messages.h"
#include "capture/profiler_service/service_errors.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

constexpr std::chrono::milliseconds kTick{50};

Messages FiguresOf(const MonitorAnswer& answer) {
  Messages figures;
  if (answer.device_idle_percent) {
    figures += Say("capture.idle-share", *answer.device_idle_percent);
  }
  if (answer.matrix_unit_percent) {
    figures += Say("capture.matrix-share", *answer.matrix_unit_percent);
  }
  if (answer.step_ms) figures += Say("capture.step-time", *answer.step_ms);
  if (figures.empty()) figures += Verbatim(answer.text);
  return figures;
}

}  // namespace

Result<void> WatchService(const std::vector<HostPort>& hosts, std::stop_token stop,
                          const std::function<void(const HostPort&, const Messages&)>& on_answer) {
  constexpr std::chrono::milliseconds kWatched{1000};
  constexpr int kUnimplemented = 12;
  while (!stop.stop_requested()) {
    Result<GrpcCalls> calls = GrpcCalls::Make();
    if (!calls) return std::unexpected(calls.error());
    std::vector<std::string> bodies(hosts.size());
    for (size_t i = 0; i < hosts.size(); ++i) {
      calls->Start({.server = hosts[i],
                    .method = std::string(kMonitorMethod),
                    .request = EncodeMonitorRequest(kWatched),
                    .on_bytes =
                        [&body = bodies[i]](std::string_view bytes) {
                          body.append(bytes);
                          return body.size() < (size_t{1} << 20);
                        },
                    .limit = kWatched + std::chrono::milliseconds(10'000)});
    }
    for (size_t i = 0; i < hosts.size(); ++i) {
      while (calls->running(i) && !stop.stop_requested()) calls->Step(kTick);
      if (stop.stop_requested()) return {};
      const GrpcOutcome& outcome = calls->outcome(i);
      if (outcome.end == GrpcEnd::kStatus && outcome.status == kUnimplemented) {
        return Fail(ErrorCode::kUnsupported, Say("capture.no-figures", hosts[i].text()), {},
                    Say("capture.only-tpu"));
      }
      if (outcome.end != GrpcEnd::kOk) {
        return std::unexpected(ExplainService(outcome, hosts[i]));
      }
      constexpr size_t kPrefix = 5;
      const std::string_view body = bodies[i];
      on_answer(hosts[i],
                FiguresOf(DecodeMonitorAnswer(body.substr(std::min(kPrefix, body.size())))));
    }
  }
  return {};
}

}  // namespace stepscope
