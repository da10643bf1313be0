#pragma once

#include <cstdint>
#include <string_view>

#include "trace/event_block.h"
#include "trace/trace.h"

namespace stepscope {

// A trace drawn in a few lines of text, so that a reader of a test sees why its number is right.
//
//   TraceText(R"(
//     main    step:ProfilerStep#1 0..100   aten::mm 10..30   launch#1 12..14
//     gpu:0   gemm#1 20..60   Memcpy_HtoD#2 60..70 bytes=4096
//   )")
//
// A line is a row and its spans; lines with the same row add to it. Rows: `main`, `thread:2`,
// `gpu:0` (stream 7) and `gpu:0/3` (stream 3); others are rows of no meaning. A span is a name, a
// range of nanoseconds `from..to`, and `key=value` pairs after it. Names may hold spaces.
//
// What a span is, is told by a prefix: op: step: anno: py: module: input: call: sync: compile:
// overhead: other: kernel: copy: memset: deviceanno: deviceop:. Without one it is told by the row
// and the name: on a GPU a kernel, or a copy or memset if it starts so; on the host a call if it is
// named like one of a runtime, a step if like a marker, an annotation if like a DataLoader, else an
// op. `launch` is short for cudaLaunchKernel, `sync` for cudaStreamSynchronize, `loader` for
// PyTorch's DataLoader annotation.
//
// `#N` after the name of a call or of device work is its correlation. Keys: bytes=, ext= (external
// id), seq= (autograd sequence number), fwd= (forward thread), dims= (no spaces), blocks= (per SM),
// occupancy= (percent), graph= (node).
//
// Two lines are not rows:
//   memory gpu:0  +512@10 -512@20            allocations and frees of the main thread; a free is of
//                                            the latest block of its size
//   flow fwdbwd#7  main@10 thread:2@50       a flow from one place to the other
//
// Bad text throws std::invalid_argument. Event ids count spans, allocations and flow ends as drawn.
Trace TraceText(std::string_view text);

// The same as a reader's block, to be taken apart or repeated.
EventBlock TraceTextBlock(std::string_view text);

// Row of the n-th slice with the name, by position in the trace; throws when there is none.
uint32_t SliceNamed(const Trace& trace, std::string_view name, uint32_t nth = 0);

}  // namespace stepscope
