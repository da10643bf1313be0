#include "capture/profiler_service/service_errors.h"

#include <fmt/format.h>

namespace stepscope {
namespace {

constexpr int kUnimplemented = 12;

std::string StartServer(int port) {
  return fmt::format(
      "start the server in the program: jax.profiler.start_server({0}) or "
      "tf.profiler.experimental.server.start({0})",
      port);
}

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
  const auto error = [](std::string sentence, std::string next) {
    return Error{ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::move(next)};
  };
  switch (outcome.end) {
    case GrpcEnd::kNoSuchHost:
      return error(fmt::format("{}: there is no machine of that name", server.host),
                   "check the name, or give the address in numbers");
    case GrpcEnd::kRefused:
      return error(fmt::format("{}: nothing listens on that port", at), StartServer(server.port));
    case GrpcEnd::kNoConnection:
      return error(
          fmt::format("{}: no connection{}", at, Reason(outcome)),
          "check that the machine is up and that no firewall is in between; ssh -L makes a "
          "way around one");
    case GrpcEnd::kNotGrpc:
      return error(fmt::format("{}: something else listens there, no profiler server{}", at,
                               Reason(outcome)),
                   "check the port; " + StartServer(server.port));
    case GrpcEnd::kTooLong:
      return error(fmt::format("{}: the server took the request and never answered", at),
                   "check that the program is not stopped in a debugger and that the clocks of the "
                   "machines agree");
    case GrpcEnd::kCut:
      return error(fmt::format("{}: the connection ended before the answer was whole{}", at,
                               Reason(outcome)),
                   "the program has probably ended: check its log, then capture again");
    case GrpcEnd::kStatus:
      break;
    case GrpcEnd::kRunning:
    case GrpcEnd::kOk:
    case GrpcEnd::kStoppedByUser:
      return error(fmt::format("{}: the call was given up", at), "");
  }
  if (ServiceIsBusy(outcome)) {
    return error(fmt::format("{}: another profile is being taken there", at),
                 "wait until it ends; a program that profiles itself has to stop first");
  }
  if (outcome.status == kUnimplemented) {
    return error(fmt::format("{}: a gRPC server listens there, but no profiler server", at),
                 "check the port; " + StartServer(server.port));
  }
  return error(fmt::format("{}: the server answers with error {}: {}", at, outcome.status,
                           outcome.message.empty() ? "no reason given" : outcome.message),
               "check the log of the program");
}

}  // namespace stepscope
