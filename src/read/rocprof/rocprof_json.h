#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "trace/trace.h"

namespace stepscope {

// The JSON that rocprofv3 writes (top key "rocprofiler-sdk-tool"): dispatches, copies, HIP, HSA and
// RCCL calls, roctx ranges. The command line and the host's name in it are not read.
Result<Trace> ReadRocprofJson(std::string_view text, const std::string& path, TaskPool& pool,
                              Diagnostics& diagnostics);

// The record with this ordinal, as the text spells it; empty where there is none.
struct RocprofRecord {
  std::string_view table;
  std::string_view json;
};
RocprofRecord FindRocprofRecord(std::string_view text, uint64_t event);

}  // namespace stepscope
