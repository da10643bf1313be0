#pragma once

#include <span>

#include "trace/event_block.h"

namespace stepscope::xplane {

// TPU runtimes record where memory was freed, not how much: gives such frees the size of the last
// allocation at their address. Those of memory allocated before the profile stay 0.
void SizeFrees(std::span<EventBlock> blocks);

}  // namespace stepscope::xplane
