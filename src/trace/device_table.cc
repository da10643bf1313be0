#include "trace/device_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace stepscope {
namespace {

constexpr uint32_t kFree = kNoRow;

}  // namespace

DeviceTable::Shape DeviceTable::ShapeOf(const DeviceArgs& args) {
  return {args.bytes,
          {args.grid[0], args.grid[1], args.grid[2]},
          {args.block[0], args.block[1], args.block[2]},
          args.registers,
          args.device,
          args.stream,
          args.shared_memory,
          args.blocks_per_sm,
          args.occupancy_percent,
          args.graph_node,
          args.collective};
}

uint64_t DeviceTable::HashOf(const Shape& shape) {
  constexpr uint64_t kOddFraction = 0x9E3779B97F4A7C15;
  uint64_t hash = 0;
  for (const uint64_t word : std::bit_cast<ShapeWords>(shape)) {
    hash = (std::rotl(hash, 29) ^ word) * kOddFraction;
  }
  return hash ^ (hash >> 32);
}

uint32_t DeviceTable::NumberOf(const Shape& shape) {
  const auto is = [&](uint32_t number) {
    return std::memcmp(&shapes_[number], &shape, sizeof shape) == 0;
  };
  // Steps repeat: as a rule the one that followed the last one then follows it now.
  if (!shapes_.empty() && is(next_[last_])) return last_ = next_[last_];
  if (2 * (shapes_.size() + 1) > index_.size()) GrowIndex();
  const size_t mask = index_.size() - 1;
  size_t at = HashOf(shape) & mask;
  while (index_[at] != kFree && !is(index_[at])) at = (at + 1) & mask;
  if (index_[at] == kFree) {
    index_[at] = static_cast<uint32_t>(shapes_.size());
    shapes_.push_back(shape);
    next_.push_back(0);
  }
  next_[last_] = index_[at];
  return last_ = index_[at];
}

void DeviceTable::GrowIndex() {
  constexpr size_t kLeast = 64;
  index_.assign(std::max(kLeast, 2 * index_.size()), kFree);
  const size_t mask = index_.size() - 1;
  for (uint32_t number = 0; number < shapes_.size(); ++number) {
    size_t at = HashOf(shapes_[number]) & mask;
    while (index_[at] != kFree) at = (at + 1) & mask;
    index_[at] = number;
  }
}

size_t DeviceTable::Bytes() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  return bytes(correlation_) + bytes(external_id_) + bytes(op_) + bytes(slice_) + bytes(shape_) +
         bytes(shapes_) + bytes(next_) + bytes(index_);
}

void DeviceTable::reserve(size_t rows) {
  correlation_.reserve(rows);
  op_.reserve(rows);
  slice_.reserve(rows);
  shape_.reserve(rows);
}

void DeviceTable::shrink_to_fit() {
  const auto shrink = [](auto&... columns) { (columns.shrink_to_fit(), ...); };
  shrink(correlation_, external_id_, op_, slice_, shape_, shapes_, next_);
}

void DeviceTable::push_back(const DeviceArgs& args) {
  if (args.external_id != 0 || !external_id_.empty()) {
    if (external_id_.capacity() < correlation_.capacity()) {
      external_id_.reserve(correlation_.capacity());
    }
    external_id_.resize(size());
    external_id_.push_back(args.external_id);
  }
  correlation_.push_back(args.correlation);
  op_.push_back(args.op);
  slice_.push_back(args.slice);
  shape_.push_back(NumberOf(ShapeOf(args)));
}

void DeviceTable::Set(size_t row, const DeviceArgs& args) {
  if (args.external_id != 0 || !external_id_.empty()) {
    external_id_.resize(size());
    external_id_[row] = args.external_id;
  }
  Place(row, args, NumberOf(ShapeOf(args)));
  slice_[row] = args.slice;
}

void DeviceTable::Resize(size_t rows) {
  correlation_.resize(rows);
  op_.resize(rows);
  slice_.resize(rows);
  shape_.resize(rows);
}

void DeviceTable::Erase(size_t first) { Resize(first); }

void DeviceTable::MoveDown(size_t from, size_t count, size_t to) {
  const auto move = [&](auto& column) {
    const auto begin = column.begin() + static_cast<ptrdiff_t>(from);
    std::copy(begin, begin + static_cast<ptrdiff_t>(count),
              column.begin() + static_cast<ptrdiff_t>(to));
  };
  move(correlation_);
  move(op_);
  move(slice_);
  move(shape_);
}

std::vector<uint32_t> DeviceTable::NumbersOf(const DeviceTable& from, uint32_t first_collective) {
  std::vector<uint32_t> numbers;
  numbers.reserve(from.shapes_.size());
  for (Shape shape : from.shapes_) {
    if (shape.collective != kNoRow) shape.collective += first_collective;
    numbers.push_back(NumberOf(shape));
  }
  return numbers;
}

void DeviceTable::Settle(size_t first, size_t count, const DeviceTable& own,
                         std::span<const StringId> strings, uint32_t first_collective) {
  const std::vector<uint32_t> numbers = NumbersOf(own, first_collective);
  for (size_t row = first; row < first + count; ++row) {
    op_[row] = strings[Index(op_[row])];
    shape_[row] = numbers[shape_[row]];
  }
}

void DeviceTable::Append(DeviceTable&& rows, std::span<const StringId> strings,
                         uint32_t first_collective, size_t total) {
  const size_t first = size();
  const size_t count = rows.size();
  if (first == 0 && count == total) {
    std::swap(correlation_, rows.correlation_);
    std::swap(external_id_, rows.external_id_);
    std::swap(op_, rows.op_);
    std::swap(slice_, rows.slice_);
    std::swap(shape_, rows.shape_);
  } else {
    if (first == 0) reserve(total);
    const auto append = [](auto& column, const auto& more) {
      column.insert(column.end(), more.begin(), more.end());
    };
    if (!external_id_.empty() || !rows.external_id_.empty()) {
      external_id_.reserve(total);
      external_id_.resize(first);
      append(external_id_, rows.external_id_);
      external_id_.resize(first + count);
    }
    append(correlation_, rows.correlation_);
    append(op_, rows.op_);
    append(slice_, rows.slice_);
    append(shape_, rows.shape_);
  }
  Settle(first, count, rows, strings, first_collective);
  rows = {};
}

}  // namespace stepscope
