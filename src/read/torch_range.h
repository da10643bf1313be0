#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "read/block_writer.h"

namespace stepscope {

// A range that PyTorch's emit_nvtx wrote, as NVTX and roctx ranges hold it:
// "aten::add, seq = 5, op_id = 12, sizes = [[8, 4]]".
struct TorchRange {
  std::string_view op;
  int64_t sequence = -1;
  std::string_view sizes;
};
std::optional<TorchRange> TorchRangeOf(std::string_view text);

// Its arguments in a block; the shapes without white space.
OpArgs ArgsOf(const TorchRange& range, BlockWriter& out);

}  // namespace stepscope
