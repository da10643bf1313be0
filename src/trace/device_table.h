#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/ids.h"

namespace stepscope {

inline constexpr uint64_t kNoCorrelation =
    0;  // 0 is never a valid correlation or external id in any format

// What the file says about one piece of device work: kKernel, kCollective, kCopy, kMemset, and
// kSync on device rows.
struct DeviceArgs {
  uint64_t correlation = kNoCorrelation;
  uint64_t external_id = 0;
  int64_t bytes = -1;  // copies and memsets; -1: unknown
  uint32_t grid[3] = {0, 0, 0};
  uint16_t block[3] = {0, 0, 0};
  uint16_t registers = 0;
  int32_t device = 0;  // index as device events carry it
  int32_t stream = -1;
  uint32_t shared_memory = 0;
  float blocks_per_sm = -1;  // -1: unknown
  float occupancy_percent = -1;
  uint32_t graph_node = 0;       // CUDA graph node id, 0: not from a graph
  StringId op = kEmptyString;    // framework op that the event itself names (XPlane: hlo_op, tf_op)
  uint32_t collective = kNoRow;  // row in Trace::collectives
  uint32_t slice = kNoRow;       // back to the slice; set by the builder
};

// The args of all device work as columns: 20 bytes a row, 28 where the file has external ids. What
// the same kernel has in every step (its size, stream, graph node) stands once, in a table of
// distinct ones. Rows come and go by value: what the reader of a row does not use is never loaded.
class DeviceTable {
 public:
  size_t size() const { return shape_.size(); }
  bool empty() const { return shape_.empty(); }
  [[gnu::always_inline]] DeviceArgs operator[](size_t row) const;
  DeviceArgs back() const { return (*this)[size() - 1]; }
  uint32_t SliceOf(size_t row) const { return slice_[row]; }
  size_t Bytes() const;  // on the heap

  void reserve(size_t rows);
  void shrink_to_fit();
  void push_back(const DeviceArgs& args);
  void Set(size_t row, const DeviceArgs& args);
  void SetSlice(size_t row, uint32_t slice) { slice_[row] = slice; }
  void SetOp(size_t row, StringId op) { op_[row] = op; }
  // Calls change(args) for each row, and keeps what it makes of them.
  template <typename Change>
  void ForEach(Change change) {
    for (size_t row = 0; row < size(); ++row) {
      DeviceArgs args = (*this)[row];
      change(args);
      Set(row, args);
    }
  }

  // ---- For readers that know how many rows there are, and builders
  // Rows to be placed. They have no external ids.
  void Resize(size_t rows);
  void Erase(size_t first);  // and all behind it
  // The number, in this table, of what the args have in common with others.
  uint32_t NumberOf(const DeviceArgs& args) { return NumberOf(ShapeOf(args)); }
  // Writes one row; `number` counts in the table of the block, until Settle. Several threads may
  // place rows.
  void Place(size_t row, const DeviceArgs& args, uint32_t number) {
    correlation_[row] = args.correlation;
    op_[row] = args.op;
    shape_[row] = number;
    slice_[row] = kNoRow;
  }
  void MoveDown(size_t from, size_t count, size_t to);
  // Turns the numbers of rows that were placed into this table's; `own` is the block's, whose
  // strings and collectives are counted anew.
  void Settle(size_t first, size_t count, const DeviceTable& own, std::span<const StringId> strings,
              uint32_t first_collective);
  // Adds the rows of another table, likewise. `total`: rows in the end, when this is the first.
  void Append(DeviceTable&& rows, std::span<const StringId> strings, uint32_t first_collective,
              size_t total);

  class Iterator {
   public:
    using value_type = DeviceArgs;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    Iterator() = default;
    Iterator(const DeviceTable& table, size_t row) : table_(&table), row_(row) {}
    DeviceArgs operator*() const { return (*table_)[row_]; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    Iterator operator++(int) { return {*table_, row_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.row_ == b.row_; }

   private:
    const DeviceTable* table_ = nullptr;
    size_t row_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  // Without gaps, so that bytes can be compared.
  struct Shape {
    int64_t bytes;
    uint32_t grid[3];
    uint16_t block[3];
    uint16_t registers;
    int32_t device;
    int32_t stream;
    uint32_t shared_memory;
    float blocks_per_sm;
    float occupancy_percent;
    uint32_t graph_node;
    uint32_t collective;
  };
  static_assert(sizeof(Shape) == 56);
  using ShapeWords = std::array<uint64_t, sizeof(Shape) / sizeof(uint64_t)>;

  static Shape ShapeOf(const DeviceArgs& args);
  static uint64_t HashOf(const Shape& shape);
  uint32_t NumberOf(const Shape& shape);
  void GrowIndex();
  // By number in `from`: the number here.
  std::vector<uint32_t> NumbersOf(const DeviceTable& from, uint32_t first_collective);

  std::vector<uint64_t> correlation_;
  std::vector<uint64_t> external_id_;  // empty where all are 0
  std::vector<StringId> op_;
  std::vector<uint32_t> slice_;
  std::vector<uint32_t> shape_;  // number of one of the next
  std::vector<Shape> shapes_;
  std::vector<uint32_t> next_;   // by number: the one that followed last time
  std::vector<uint32_t> index_;  // hash table of numbers
  uint32_t last_ = 0;
};

inline DeviceArgs DeviceTable::operator[](size_t row) const {
  const Shape& shape = shapes_[shape_[row]];
  DeviceArgs args;
  args.correlation = correlation_[row];
  args.external_id = external_id_.empty() ? 0 : external_id_[row];
  args.bytes = shape.bytes;
  for (int i = 0; i < 3; ++i) args.grid[i] = shape.grid[i];
  for (int i = 0; i < 3; ++i) args.block[i] = shape.block[i];
  args.registers = shape.registers;
  args.device = shape.device;
  args.stream = shape.stream;
  args.shared_memory = shape.shared_memory;
  args.blocks_per_sm = shape.blocks_per_sm;
  args.occupancy_percent = shape.occupancy_percent;
  args.graph_node = shape.graph_node;
  args.op = op_[row];
  args.collective = shape.collective;
  args.slice = slice_[row];
  return args;
}

}  // namespace stepscope
