// Any bytes as a recording, and the same as blocks whose checksums hold: rows are stored or
// counted, never lost.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "analyze/report.h"
#include "io/crc32.h"
#include "read/recording/format.h"
#include "read/recording/recorded_trace.h"
#include "read/recording/recording_file.h"

namespace {

using namespace stepscope;

void Check(std::string_view bytes) {
  static TaskPool pool(1);
  Diagnostics diagnostics;
  const recording::RecordingFile file = recording::ParseRecording(bytes, "fuzz", diagnostics);
  const recording::DeviceRows& rows = file.device_rows;
  const size_t stored = file.samples.size() + file.counters.size() + file.steps.size() +
                        rows.kernels.size() + rows.copies.size() + rows.calls.size() +
                        rows.syncs.size() + rows.ranges.size() + rows.overheads.size();
  if (stored + file.unusable_rows != file.rows) std::abort();
  const Trace trace = recording::TraceOf(file, pool, diagnostics);
  if (trace.events.diagnosed > trace.events.in_file) std::abort();
  Analyze(LinkTrace(trace, {}, pool), diagnostics, {}, pool);
}

// Each 64 bytes become a block: its type, its number of rows, its payload.
std::string WithChecksums(std::string_view data) {
  std::string file(recording::kFileMagic);
  file.append(8, '\0');
  while (data.size() > 2) {
    const std::string payload(data.substr(2, 62));
    std::string header{data[0], 0, 1, 0};
    const auto put = [&](uint32_t value) {
      header.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    put(static_cast<uint32_t>(payload.size()));
    put(static_cast<uint32_t>(payload.size()));
    header.append(16, '\1');
    put(static_cast<uint8_t>(data[1]));
    const uint32_t crc = Crc32(payload, Crc32(header));
    put(crc);
    file.append(recording::kBlockMagic).append(header).append(payload);
    data.remove_prefix(std::min<size_t>(data.size(), 64));
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Check(bytes);
  Check(WithChecksums(bytes));
  return 0;
}
