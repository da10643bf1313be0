#include "capture/profiler_service/service_errors.h"

#include <fmt/format.h>

#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

constexpr int kUnimplemented = 12;

Message StartServer(int port) { return Say("capture.start-server", port); }

std::string Reason(const GrpcOutcome& outcome) {
  return outcome.message.empty() ? "" : fmt::format(" ({})", outcome.message);
}

}  // namespace

bool ServiceIsBusy(const GrpcOutcome& outcome) {
  return outcome.end == GrpcEnd::kStatus &&
         outcome.message.contains("Another profiling session active");
}

Error ExplainService(const GrpcOutcome& outcome, const HostPort& server) {
  const std::string at = server.text();
  const auto error = [](Sentences sentence, Sentences next) {
    return Error{ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::move(next)};
  };
  switch (outcome.end) {
    case GrpcEnd::kNoSuchHost:
      return error(Say("capture.no-machine", server.host), Say("capture.check-name"));
    case GrpcEnd::kRefused:
      return error(Say("capture.nothing-listens-at", at), StartServer(server.port));
    case GrpcEnd::kNoConnection:
      return error(Say("capture.no-connection", at, Reason(outcome)),
                   Say("capture.check-firewall"));
    case GrpcEnd::kNotGrpc:
      return error(Say("capture.something-else", at, Reason(outcome)),
                   Say("capture.check-port-or", StartServer(server.port)));
    case GrpcEnd::kTooLong:
      return error(Say("capture.never-answered", at), Say("capture.check-debugger"));
    case GrpcEnd::kCut:
      return error(Say("capture.connection-cut", at, Reason(outcome)),
                   Say("capture.program-ended"));
    case GrpcEnd::kStatus:
      break;
    case GrpcEnd::kRunning:
    case GrpcEnd::kOk:
    case GrpcEnd::kStoppedByUser:
      return error(Say("capture.given-up", at), "");
  }
  if (ServiceIsBusy(outcome)) {
    return error(Say("capture.other-profile", at), Say("capture.wait-profile"));
  }
  if (outcome.status == kUnimplemented) {
    return error(Say("capture.other-grpc", at),
                 Say("capture.check-port-or", StartServer(server.port)));
  }
  return error(Say("capture.server-error", at, outcome.status,
                   outcome.message.empty() ? Say("capture.no-reason") : Verbatim(outcome.message)),
               Say("capture.check-program-log"));
}

}  // namespace stepscope
