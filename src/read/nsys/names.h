#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/kind.h"

namespace stepscope::nsys {

// "cudaLaunchKernel_v7000_ptsz" is cudaLaunchKernel.
std::string_view PlainCallName(std::string_view name);

// Names as PyTorch's profiler spells them: "Memcpy HtoD (Pageable -> Device)".
std::string CopyName(int64_t copy_kind, int64_t source, int64_t destination);
std::string MemsetName(int64_t memory_kind);
std::string_view SyncName(int64_t sync_type);

// What an overhead record stands for. Only some are the profiler's own work.
struct Overhead {
  std::string_view name;
  Kind kind;
};
Overhead OverheadOf(int64_t overhead_type);

// The text with everything that looks like a path of the recording machine left out.
std::string WithoutPaths(std::string_view text);

}  // namespace stepscope::nsys
