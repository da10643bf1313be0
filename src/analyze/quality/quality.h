#pragma once

#include <span>

#include "analyze/memory/memory.h"
#include "base/diagnostics.h"
#include "link/linked_trace.h"

namespace stepscope {

// What the analyses found about the quality of the profile: device work without a launch, launches
// without device work, memory events that number devices differently.
void AddQuality(const LinkedTrace& linked, std::span<const MemoryRow> memory, Diagnostics& quality);

}  // namespace stepscope
