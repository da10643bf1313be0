#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "read/run_metadata/run_metadata_proto.h"
#include "read/run_metadata/stats_device.h"

namespace stepscope {

// Which rows of a GPU count as its work, so that each kernel and each copy counts once. The rows of
// single streams when they hold all of them (they know the stream), else stream:all and memcpy.
class DeviceChoice {
 public:
  bool IsWork(const StatsDevice& device, bool copy) const;

 private:
  friend DeviceChoice ChooseDeviceRows(const RunMetadata& run);
  struct Counts {
    uint64_t all_kernels = 0, all_copies = 0;        // stream:all, memcpy
    uint64_t stream_kernels = 0, stream_copies = 0;  // stream:N
  };
  std::map<int32_t, Counts> gpus_;
};
DeviceChoice ChooseDeviceRows(const RunMetadata& run);

// Of a label "… num_bytes: 112 destination: 0 async: false".
std::optional<int64_t> CopiedBytes(std::string_view label);

}  // namespace stepscope
