#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// What a DeviceStepStats' name says (docs/run-metadata.md lists the spellings of TensorFlow 1.0 to
// 2): op rows of an executor on the host's clock, or rows of a GPU as CUPTI saw it.
enum class StatsRows : uint8_t {
  kOps,         // "/job:localhost/replica:0/task:0/device:GPU:0": ops, on the host's clock
  kAllStreams,  // "/device:GPU:0/stream:all": every kernel
  kStream,      // "/device:GPU:0/stream:13": what ran there, all of it also in one of the other two
  kCopies,      // "/device:GPU:0/memcpy": every copy
  kSync,        // "/device:GPU:0/sync": host calls that wait
};

struct StatsDevice {
  StatsRows rows = StatsRows::kOps;
  bool gpu = false;
  int32_t index = 0;
  int32_t stream = -1;
};
StatsDevice ParseStatsDevice(std::string_view name);

// "loss/Relu = Relu(loss/Conv2D)" gives "Relu"; "conv/Conv2D:Conv2D regs:17 …" gives "Conv2D".
// Empty when the label names no type.
std::string_view OpTypeOfLabel(std::string_view label);
// The inputs in the brackets of a label, "" past the last. `rest` is what is left to read.
std::string_view NextInputOfLabel(std::string_view& rest);
std::string_view InputsOfLabel(std::string_view label);

// The node a GPU row belongs to: "conv/Conv2D" of "conv/Conv2D:Conv2D" or of a copy's label.
std::string_view NodeOfGpuRow(std::string_view row_name, std::string_view label);

}  // namespace stepscope
