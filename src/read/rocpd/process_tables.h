#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/string_table.h"
#include "io/sqlite.h"
#include "trace/trace.h"

namespace stepscope::rocpd {

// GPUs of all machines of a file. A GPU keeps the number that its machine gave it; those of a
// second machine follow after.
class Gpus {
 public:
  void Add(int64_t node, Device device);
  // Call when all are known.
  void Number();
  int32_t IndexOf(int64_t node, int64_t on_node) const;
  std::vector<Device> devices() const;

 private:
  std::map<std::pair<int64_t, int64_t>, Device> devices_;
  std::map<std::pair<int64_t, int64_t>, int32_t> numbers_;
};

// What the tables of one process say, read before its events. The command line, the environment
// and the name of the machine are there, too; they are never read.
struct ProcessTables {
  struct Agent {
    bool gpu = false;
    int64_t node = 0;
    int64_t on_node = 0;  // number among the GPUs of its machine
  };
  struct Kernel {
    StringId name = kEmptyString;
    int64_t registers = 0;
  };
  struct Track {
    int64_t process = 0;
    int64_t thread = 0;
    int64_t agent = 0;
    int64_t queue = 0;
    int64_t stream = 0;
    int64_t name = 0;
  };
  struct Event {
    int64_t category = 0;
    int64_t correlation = 0;
    StringId message = kEmptyString;
  };
  struct Counter {
    StringId name = kEmptyString;
    int64_t agent = 0;
  };

  std::string suffix;
  int64_t number = 0;  // of the process in the file, from 0
  StringTable texts;
  std::unordered_map<int64_t, StringId> strings;  // rocpd_string
  std::unordered_map<int64_t, int64_t> pids;      // by row of rocpd_info_process
  std::unordered_map<int64_t, int64_t> tids;      // by row of rocpd_info_thread
  std::unordered_map<int64_t, StringId> thread_names;
  std::unordered_map<int64_t, Agent> agents;
  std::unordered_map<int64_t, Kernel> kernels;
  std::unordered_map<int64_t, Counter> counters;
  std::unordered_map<int64_t, Track> tracks;   // schemas whose rows name a track
  std::unordered_map<int64_t, int64_t> times;  // schemas whose rows name a time
  std::unordered_map<int64_t, Event> events;
  std::vector<std::string> damaged;  // tables that ended early

  std::string Table(std::string_view name) const { return std::string(name) + suffix; }
  std::string_view Text(int64_t id) const;
  // Correlation ids are unique within a process only.
  uint64_t CorrelationOf(int64_t event) const;
};

// `gpus` gets what the process says about the GPUs of its machine.
ProcessTables ReadProcessTables(const SqliteFile& file, std::string suffix, int64_t number,
                                Gpus& gpus);

}  // namespace stepscope::rocpd
