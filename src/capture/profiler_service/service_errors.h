#pragma once

#include "base/result.h"
#include "capture/grpc/grpc_calls.h"

namespace stepscope {

// Why a call to a profiler server failed, and what to do about it.
Error ExplainService(const GrpcOutcome& outcome, const HostPort& server);

// Another capture of the same process runs: it is worth asking again.
bool ServiceIsBusy(const GrpcOutcome& outcome);

}  // namespace stepscope
