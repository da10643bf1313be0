#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "link/links.h"
#include "trace/trace.h"

namespace stepscope {

// A slice related to another one, and how: launched_by, launches, op, forward, backward,
// flow_from, flow_to.
struct SliceLink {
  std::string_view relation;
  uint32_t slice = 0;
};

// What the arrows of a selected slice show. O(log n) for launches, O(links) for forward and
// backward, O(flows of its kind) for flows.
std::vector<SliceLink> LinksOf(const Trace& trace, const Links& links, uint32_t row);

}  // namespace stepscope
