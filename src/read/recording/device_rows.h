#pragma once

#include <cstdint>
#include <vector>

#include "read/recording/format.h"

// What the library inside a CUDA program wrote (record/inject): rows as CUPTI and NVTX give them.
namespace stepscope::recording {

struct TimedRow {
  int64_t start = 0, end = 0;
};
struct KernelRow : TimedRow {
  uint32_t device = 0, stream = 0, correlation = 0, name = 0;
  uint32_t grid[3] = {};
  uint16_t block[3] = {};
  uint16_t registers = 0;
  uint32_t shared_memory = 0, graph = 0;
  uint64_t graph_node = 0;
};
struct CopyRow : TimedRow {
  static constexpr uint8_t kMemset = 0xff;
  uint32_t device = 0, stream = 0, correlation = 0;
  uint8_t way = 0, from = 0, to = 0;  // CUPTI's numbers of copy and memory kinds
  int64_t bytes = 0;
};
struct CallRow : TimedRow {
  uint32_t thread = 0, correlation = 0, name = 0;
};
struct SyncRow : TimedRow {
  uint32_t type = 0, correlation = 0, stream = 0;
};
struct RangeRow : TimedRow {
  uint32_t thread = 0, name = 0, domain = 0;
};
struct OverheadRow : TimedRow {
  uint32_t kind = 0, thread = 0;
};
struct DeviceRow {
  uint32_t index = 0, name = 0, multiprocessors = 0;
  uint32_t capability_major = 0, capability_minor = 0;
  int64_t memory = 0;
};

// Names are rows in RecordingFile::strings.
struct DeviceRows {
  std::vector<KernelRow> kernels;
  std::vector<CopyRow> copies;
  std::vector<CallRow> calls;
  std::vector<SyncRow> syncs;
  std::vector<RangeRow> ranges;
  std::vector<OverheadRow> overheads;
  std::vector<DeviceRow> devices;

  bool empty() const {
    return kernels.empty() && copies.empty() && calls.empty() && ranges.empty();
  }
  // After the strings moved up in a list that others share.
  void ShiftNames(uint32_t by);
  void Append(DeviceRows from);
};

// Takes the next row of a block of one of these types. False where the block ends early; `stored`
// says whether the row makes sense (its times are times). Names are still the writer's ids.
bool IsDeviceBlock(BlockType type);
bool TakeDeviceRow(BlockType type, Fields& fields, DeviceRows& rows, bool& stored);

}  // namespace stepscope::recording
