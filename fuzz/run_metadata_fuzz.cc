// Any bytes as a RunMetadata, binary or text: rows are stored or counted, never lost.

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "analyze/report.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "read/run_metadata/run_metadata_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static TaskPool pool(1);
  const FileBytes file({reinterpret_cast<const char*>(data), size}, nullptr, std::nullopt);
  Diagnostics diagnostics;
  const Result<RunMetadata> run = ParseRunMetadata(file, "fuzz", diagnostics);
  if (!run) return 0;
  const Trace trace = BuildRunMetadataTrace({&*run, 1}, nullptr, "fuzz", pool, diagnostics);
  if (trace.events.diagnosed > trace.events.in_file) std::abort();
  Analyze(LinkTrace(trace, {}, pool), diagnostics, {}, pool);
  return 0;
}
