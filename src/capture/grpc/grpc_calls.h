#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "capture/curl.h"
#include "capture/target.h"

namespace stepscope {

// A unary gRPC call without TLS.
struct GrpcCall {
  HostPort server;
  std::string method;   // "/tensorflow.ProfilerService/Profile"
  std::string request;  // the message, without gRPC's five bytes before it
  // Gets the answer piece by piece, gRPC's five bytes included. False ends the call.
  std::function<bool(std::string_view)> on_bytes = [](std::string_view) { return true; };
  std::chrono::milliseconds limit{0};  // for all of it
};

enum class GrpcEnd : uint8_t {
  kRunning,
  kOk,
  kStatus,  // the server refused: `status` and `message`
  kNoSuchHost,
  kRefused,        // nobody listens
  kNoConnection,   // no answer to the attempt to connect
  kNotGrpc,        // what listens there speaks something else
  kTooLong,        // no answer within the limit
  kCut,            // the connection ended in the middle
  kStoppedByUser,  // on_bytes said so
};

struct GrpcOutcome {
  GrpcEnd end = GrpcEnd::kRunning;
  int status = -1;      // of gRPC: 0 fine, 12 unimplemented, 13 internal, 14 unavailable
  std::string message;  // of gRPC or, where that says nothing, of libcurl
};

// Calls that run side by side on one thread. Whatever still runs when the object goes is cancelled:
// the server sees the connection end.
class GrpcCalls {
 public:
  static Result<GrpcCalls> Make();
  GrpcCalls(GrpcCalls&&) noexcept;
  ~GrpcCalls();

  // Starts a call, on a connection of its own. Its number.
  size_t Start(GrpcCall call);
  // Moves all calls on and waits for at most that long while none can move.
  void Step(std::chrono::milliseconds wait);
  const GrpcOutcome& outcome(size_t call) const;
  bool connected(size_t call) const;
  bool running(size_t call) const { return outcome(call).end == GrpcEnd::kRunning; }

 private:
  struct Call;
  explicit GrpcCalls(const Curl* curl);
  void Finish(CURL* handle, CURLcode code);

  const Curl* curl_;
  CURLM* multi_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace stepscope
