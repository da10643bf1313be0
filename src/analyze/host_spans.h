#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace stepscope {

// A framework op or a region named by the program; PyTorch records collectives and DataLoader
// waits as either, depending on its age.
inline bool IsOpOrRegion(const Trace& trace, uint32_t slice) {
  return trace.slices.kind[slice] == Kind::kOp || trace.slices.kind[slice] == Kind::kAnnotation;
}

// A collective on the host: nccl:all_reduce, gloo:all_gather …
inline bool IsHostCollective(const Trace& trace, uint32_t slice) {
  return IsOpOrRegion(trace, slice) && trace.Traits(slice).communication;
}

// A stage of the input pipeline, or the program's wait for it.
inline bool IsInputSpan(const Trace& trace, uint32_t slice) {
  return trace.slices.kind[slice] == Kind::kInput ||
         (IsOpOrRegion(trace, slice) && trace.Traits(slice).input_stage);
}

}  // namespace stepscope
