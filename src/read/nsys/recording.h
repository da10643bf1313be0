#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/string_table.h"
#include "io/sqlite.h"
#include "trace/trace.h"

namespace stepscope::nsys {

// Names are numbers in all event tables; this table has the texts.
class StringIds {
 public:
  std::optional<Error> Load(const SqliteFile& file);
  // Empty for a number that the table does not have.
  std::string_view operator[](int64_t id) const;
  size_t size() const { return dense_.size(); }
  // A number for a text that stands where a number is expected.
  int64_t Add(std::string_view text);

 private:
  StringTable texts_;
  std::vector<StringId> dense_;  // by id, for ids up to a few millions
  std::unordered_map<int64_t, StringId> sparse_;
};

// What an export says about itself and the machine, read before its events. The environment, the
// command line, user and host names are in it, too; they are never read.
struct Recording {
  StringIds strings;
  std::map<int64_t, std::string> process_names;        // by globalPid >> 24
  std::unordered_map<int64_t, int64_t> thread_names;   // globalTid to string id
  std::map<std::pair<int64_t, int64_t>, int32_t> gpu;  // (pid, CUDA's number) to GPU's number
  std::map<std::pair<int64_t, int64_t>, std::string> metric_names;  // (typeId, metricId)
  std::vector<Device> devices;
  std::optional<int64_t> start_unix_ns;  // of time 0
  RunFacts facts;
  bool several_machines = false;
  bool names_processes = true;  // of calls and device work both

  // The GPU of an event: CUDA numbers the devices that a process may see.
  int32_t GpuOf(int64_t process, int64_t cuda_device) const;
  // The key of a process on the timeline.
  int64_t ProcessKey(int64_t process) const;
  // What joins a call and its device work. Ids are unique within a process; where an export does
  // not say which, there has to be one only.
  uint64_t Correlation(int64_t global_id, int64_t id) const;
  // The process with this pid, on whichever machine; -1 when there is none.
  int64_t ProcessWithPid(int64_t pid) const;
};

Result<Recording> ReadRecording(const SqliteFile& file, Diagnostics& diagnostics);

}  // namespace stepscope::nsys
