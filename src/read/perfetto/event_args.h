#pragma once

#include <cstdint>
#include <string_view>

#include "read/block_writer.h"
#include "read/perfetto/sequence.h"
#include "trace/trace.h"

namespace stepscope::perfetto {

// The arguments of one event: whatever analyses use, until the kind of the event is known.
struct EventArgs {
  OpArgs op;
  CallArgs call;
  DeviceArgs device;
  FrameArgs frame;
  bool any = false;

  // One DebugAnnotation.
  void Add(std::string_view annotation, const Sequence& sequence, BlockWriter& out);
  // Stores those that belong to the kind; kNoRow where there are none.
  uint32_t Store(Kind kind, BlockWriter& out) const;
};

}  // namespace stepscope::perfetto
