#include "read/recording/device_rows.h"

#include <iterator>
#include <utility>

namespace stepscope::recording {
namespace {

template <typename Row>
void TakeTimes(Fields& fields, Row& row) {
  row.start = fields.Take<int64_t>();
  row.end = fields.Take<int64_t>();
}

void Take(Fields& fields, KernelRow& row) {
  TakeTimes(fields, row);
  for (uint32_t* to : {&row.device, &row.stream, &row.correlation, &row.name}) {
    *to = fields.Take<uint32_t>();
  }
  for (uint32_t& size : row.grid) size = fields.Take<uint32_t>();
  for (uint16_t& size : row.block) size = fields.Take<uint16_t>();
  row.registers = fields.Take<uint16_t>();
  row.shared_memory = fields.Take<uint32_t>();
  row.graph = fields.Take<uint32_t>();
  row.graph_node = fields.Take<uint64_t>();
}

void Take(Fields& fields, CopyRow& row) {
  TakeTimes(fields, row);
  for (uint32_t* to : {&row.device, &row.stream, &row.correlation}) *to = fields.Take<uint32_t>();
  for (uint8_t* to : {&row.way, &row.from, &row.to}) *to = fields.Take<uint8_t>();
  fields.Take<uint8_t>();
  row.bytes = fields.Take<int64_t>();
}

void Take(Fields& fields, CallRow& row) {
  TakeTimes(fields, row);
  for (uint32_t* to : {&row.thread, &row.correlation, &row.name}) *to = fields.Take<uint32_t>();
  fields.Take<uint32_t>();
}

void Take(Fields& fields, SyncRow& row) {
  TakeTimes(fields, row);
  row.type = fields.Take<uint32_t>();
  row.correlation = fields.Take<uint32_t>();
  fields.Take<uint32_t>();
  row.stream = fields.Take<uint32_t>();
}

void Take(Fields& fields, RangeRow& row) {
  TakeTimes(fields, row);
  for (uint32_t* to : {&row.thread, &row.name, &row.domain}) *to = fields.Take<uint32_t>();
  fields.Take<uint32_t>();
}

void Take(Fields& fields, OverheadRow& row) {
  TakeTimes(fields, row);
  row.kind = fields.Take<uint32_t>();
  row.thread = fields.Take<uint32_t>();
}

template <typename Row>
bool Add(Fields& fields, std::vector<Row>& rows, bool& stored) {
  Row row;
  Take(fields, row);
  if (!fields.good()) return false;
  stored = IsTime(row.start) && IsTime(row.end) && row.end >= row.start;
  if (stored) rows.push_back(row);
  return true;
}

bool AddDevice(Fields& fields, std::vector<DeviceRow>& rows, bool& stored) {
  DeviceRow row;
  row.index = fields.Take<uint32_t>();
  row.name = fields.Take<uint32_t>();
  row.memory = fields.Take<int64_t>();
  row.multiprocessors = fields.Take<uint32_t>();
  const auto capability = fields.Take<uint32_t>();
  row.capability_major = capability >> 16;
  row.capability_minor = capability & 0xffff;
  stored = fields.good();
  if (stored) rows.push_back(row);
  return stored;
}

template <typename Row>
void Move(std::vector<Row>& from, std::vector<Row>& into) {
  into.insert(into.end(), std::make_move_iterator(from.begin()),
              std::make_move_iterator(from.end()));
}

}  // namespace

bool IsDeviceBlock(BlockType type) {
  switch (type) {
    case BlockType::kKernels:
    case BlockType::kCopies:
    case BlockType::kCalls:
    case BlockType::kSyncs:
    case BlockType::kRanges:
    case BlockType::kOverheads:
    case BlockType::kDevices:
      return true;
    default:
      return false;
  }
}

bool TakeDeviceRow(BlockType type, Fields& fields, DeviceRows& rows, bool& stored) {
  switch (type) {
    case BlockType::kKernels:
      return Add(fields, rows.kernels, stored);
    case BlockType::kCopies:
      return Add(fields, rows.copies, stored);
    case BlockType::kCalls:
      return Add(fields, rows.calls, stored);
    case BlockType::kSyncs:
      return Add(fields, rows.syncs, stored);
    case BlockType::kRanges:
      return Add(fields, rows.ranges, stored);
    case BlockType::kOverheads:
      return Add(fields, rows.overheads, stored);
    case BlockType::kDevices:
      return AddDevice(fields, rows.devices, stored);
    default:
      return false;
  }
}

void DeviceRows::ShiftNames(uint32_t by) {
  for (KernelRow& row : kernels) row.name += by;
  for (CallRow& row : calls) row.name += by;
  for (RangeRow& row : ranges) {
    row.name += by;
    row.domain += by;
  }
  for (DeviceRow& row : devices) row.name += by;
}

void DeviceRows::Append(DeviceRows from) {
  Move(from.kernels, kernels);
  Move(from.copies, copies);
  Move(from.calls, calls);
  Move(from.syncs, syncs);
  Move(from.ranges, ranges);
  Move(from.overheads, overheads);
  Move(from.devices, devices);
}

}  // namespace stepscope::recording
