#pragma once

#include <string>

// A small Nsight Systems export, written from the published schema.
namespace stepscope::nsys {

// globalTid of a thread; tid 0 gives the globalPid.
constexpr long long GlobalTid(long long pid, long long tid) {
  return (1LL << 48) | (pid << 24) | tid;
}

// Two processes, each with its GPU, and everything that a report shows: a step, PyTorch's ranges,
// calls, kernels, a copy, a memset, a wait, C library calls, scheduling, samples, metrics, memory.
// 3.25 is the newest schema, 2.9 the oldest.
std::string ExportSql(bool newest);

}  // namespace stepscope::nsys
