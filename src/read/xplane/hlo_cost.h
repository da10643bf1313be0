#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace stepscope::xplane {

// The flops and bytes of one execution of an instruction; -1: unknown.
struct HloCost {
  int64_t flops = -1;
  int64_t bytes = -1;
};

// Costs of a module's instructions by their id, from shapes alone, counted as XLA's own cost
// analysis does: a multiply-add is two, an elementwise op one per element, transcendental functions
// and moves none, a reduction one for each element that goes away, a fusion the sum of what is in
// it; bytes are all operands once and the result once. Costs of loops, calls and custom calls other
// than matrix products and forward convolutions are not known.
std::unordered_map<int64_t, HloCost> CostsOf(std::string_view module);

}  // namespace stepscope::xplane
