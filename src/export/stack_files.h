#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "export/stacks.h"
#include "io/byte_sink.h"

namespace stepscope::exported {

// profile.proto of pprof with all weights, not yet compressed.
std::string Pprof(const Stacks& stacks, Weight shown, int64_t start_unix_ns, int64_t span_ns);

// "a;b;c 123" a stack, by stack.
std::string Folded(const Stacks& stacks, Weight weight);

// speedscope's file format: a profile of all stacks, then one for each thread and stream with every
// span where it is.
struct SpeedscopeTrace {
  const tables::TraceRows* rows = nullptr;
  std::function<bool(uint32_t slice)> selected = {};
};
Result<void> WriteSpeedscope(const Stacks& stacks, Weight weight,
                             std::span<const SpeedscopeTrace> traces, ByteSink& sink);

}  // namespace stepscope::exported
