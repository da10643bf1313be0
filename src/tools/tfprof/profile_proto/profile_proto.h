#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "read/graph_def/graph_def.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "tools/tfprof/op_log/op_log.h"

// tfprof's own file, ProfileProto: a graph, its op log and all steps in one. Structs are the
// messages field by field; strings are views into the file that was read, or into whatever the
// writer was given.
namespace stepscope {

struct ExecTimes {
  std::string_view device;
  std::vector<std::pair<int64_t, int64_t>> times;  // start, microseconds
};

struct ExecMemory {
  int64_t micros = 0;
  int64_t host_temp_bytes = 0;
  int64_t host_persistent_bytes = 0;
  int64_t accelerator_temp_bytes = 0;
  int64_t accelerator_persistent_bytes = 0;
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;
  int64_t bytes_in_use = 0;
  struct Output {
    int32_t slot = 0;
    int64_t bytes = 0;
    uint64_t address = 0;
  };
  std::vector<Output> outputs;
};

struct ExecProfile {
  int64_t run_count = 0;
  int64_t all_start_micros = 0;
  int64_t latest_end_micros = 0;
  std::vector<ExecTimes> accelerator;  // by device name, as all lists with one entry per device
  std::vector<ExecTimes> cpu;
  std::vector<std::string_view> devices;
  std::vector<ExecMemory> memory;
  std::vector<AllocationRecord> allocations;
};

struct ProfileNode {
  int64_t id = 0;
  std::string_view name;
  std::string_view op;
  std::vector<std::pair<int32_t, int64_t>> inputs;         // input index, node id
  std::vector<std::pair<int64_t, int32_t>> source_output;  // node id, output index
  std::vector<int64_t> shape;
  std::vector<std::string_view> op_types;
  std::string_view canonical_device;
  std::string_view host_device;
  int64_t float_ops = 0;
  std::vector<CodeFrame> frames;
  std::vector<Attr> attrs;
  std::vector<std::pair<int64_t, ExecProfile>> execs;  // step
  std::vector<std::pair<int32_t, std::vector<int64_t>>> output_shapes;
};

struct ProfileProto {
  std::vector<ProfileNode> nodes;
  bool has_trace = false;
  bool miss_accelerator_stream = false;
  std::vector<int64_t> steps;
  std::vector<StringById> strings;
  std::shared_ptr<const void> owner;
};

Result<ProfileProto> ReadProfileProto(const std::string& path, Diagnostics& diagnostics);
Result<ProfileProto> ParseProfileProto(const FileBytes& bytes, const std::string& path,
                                       Diagnostics& diagnostics);
// The wire bytes of the message; what TensorFlow's Profiler reads back.
std::string EncodeProfileProto(const ProfileProto& profile);

}  // namespace stepscope
