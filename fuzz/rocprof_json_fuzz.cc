// Any text as rocprofv3's JSON: nothing may crash, and what was read must be fit for the report.

#include <cstdint>
#include <cstdlib>

#include "analyze/report.h"
#include "read/rocprof/rocprof_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static TaskPool pool(1);
  Diagnostics diagnostics;
  const Result<Trace> trace =
      ReadRocprofJson({reinterpret_cast<const char*>(data), size}, "fuzz", pool, diagnostics);
  if (!trace) return 0;
  if (trace->events.diagnosed > trace->events.in_file) std::abort();
  Analyze(LinkTrace(*trace, {}, pool), diagnostics, {}, pool);
  return 0;
}
