// Any bytes as an XSpace: nothing may be lost, and what was read must be fit for the report.

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "analyze/report.h"
#include "read/xplane/xplane_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static TaskPool pool(1);
  const FileBytes file({reinterpret_cast<const char*>(data), size}, nullptr, std::nullopt);
  Diagnostics diagnostics;
  const Result<Trace> trace = ReadXPlane(file, "fuzz", pool, diagnostics);
  if (!trace) return 0;
  const uint64_t stored = trace->slices.size() + trace->allocations.size() + trace->counters.size();
  if (trace->events.in_file != stored + trace->events.diagnosed) std::abort();
  Analyze(LinkTrace(*trace, {}, pool), diagnostics, {}, pool);
  return 0;
}
