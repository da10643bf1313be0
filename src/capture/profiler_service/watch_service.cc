#include "capture/profiler_service/watch_service.h"

#include <fmt/format.h>

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

std::string LineOf(const MonitorAnswer& answer, const HostPort& host) {
  std::string line = host.text() + ":";
  const auto add = [&](const char* what, const std::optional<double>& value, const char* unit) {
    if (value) line += fmt::format("  {} {:.1f} {}", what, *value, unit);
  };
  add("device idle", answer.device_idle_percent, "%");
  add("matrix units", answer.matrix_unit_percent, "%");
  add("step", answer.step_ms, "ms");
  if (line.ends_with(':')) line += "  " + answer.text;
  return line;
}

}  // namespace

Result<void> WatchService(const std::vector<HostPort>& hosts, std::stop_token stop,
                          const std::function<void(const std::string& line)>& on_line) {
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
      on_line(LineOf(DecodeMonitorAnswer(
                         std::string_view(bodies[i]).substr(std::min(kPrefix, bodies[i].size()))),
                     hosts[i]));
    }
  }
  return {};
}

}  // namespace stepscope
