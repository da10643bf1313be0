#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "read/recording/device_rows.h"
#include "trace/recorded.h"

namespace stepscope::recording {

struct Counter {
  int64_t time = 0;
  uint32_t name = 0, series = 0;  // rows in RecordingFile::strings
  double value = 0;
};
struct Loss {
  int64_t from = 0, to = 0;
  uint64_t count = 0;
  std::string reason;
};

// One file of a recording, its blocks joined. Times are CLOCK_MONOTONIC as in the file.
struct RecordingFile {
  std::string path;
  std::map<std::string, std::string> facts;  // a later value replaces an earlier one
  std::vector<std::string> profiles;         // names of files that the framework's profiler wrote
  std::vector<std::string> missing;          // facts called "missing", each once
  std::vector<std::string> strings;
  std::vector<PythonLine> lines;
  std::vector<PythonStack> stacks;
  std::vector<PythonSample> samples;
  std::vector<RecordedStep> steps;
  std::vector<Counter> counters;
  std::vector<Loss> losses;
  DeviceRows device_rows;
  std::optional<RunEnd> end;
  std::optional<int64_t> end_ns, first_ns, last_ns;
  std::optional<int64_t> realtime_offset;  // realtime - monotonic, of the last clock block
  uint64_t rows = 0;                       // samples, counters, steps, device rows: events
  uint64_t helpers = 0;                    // processes whose counters were added to this one's
  uint64_t unusable_rows = 0;              // that name strings or stacks which are lost

  int64_t NumberOf(const std::string& fact, int64_t otherwise) const;
};

// The bytes of a file with a header; damage goes to `diagnostics`.
RecordingFile ParseRecording(std::string_view bytes, const std::string& path,
                             Diagnostics& diagnostics);
// An Error only when the file cannot be opened or has no header; damage goes to `diagnostics`.
Result<RecordingFile> ReadRecordingFile(const std::string& path, Diagnostics& diagnostics);

}  // namespace stepscope::recording
