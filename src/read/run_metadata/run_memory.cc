#include "read/run_metadata/run_memory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

#include "read/run_metadata/stats_device.h"

namespace stepscope {
namespace {

constexpr int64_t kNsPerMicro = 1000;
constexpr int64_t kMostBytes = int64_t{1} << 60;

class RunMemory {
 public:
  RunMemory(const std::vector<StoredOp>& ops, EventBlock& block) : ops_(ops), block_(block) {}

  void Add() {
    FindLastUses();
    for (const StoredOp& op : ops_) {
      bool recorded = false;
      for (const AllocatorMemory& memory : op.stats->memory) recorded |= AddAllocator(op, memory);
      if (!recorded) AddOutputs(op);
    }
    for (const auto& [address, buffer] : buffers_) {
      if (!buffer.stays) {
        Push(*buffer.op, buffer.allocator, buffer.last_use, -buffer.bytes, address);
      }
    }
  }

 private:
  struct Buffer {
    const StoredOp* op = nullptr;
    std::string_view allocator;
    int64_t bytes = 0;
    int64_t last_use = 0;
    bool stays = false;
  };

  // When the last op that takes an output of the node as its input ended.
  void FindLastUses() {
    for (const StoredOp& op : ops_) {
      std::string_view inputs = InputsOfLabel(op.stats->label);
      while (!inputs.empty()) {
        const std::string_view input = NextInputOfLabel(inputs);
        int64_t& last = last_use_.try_emplace(input, op.end).first->second;
        last = std::max(last, op.end);
      }
    }
  }

  int64_t LastUseOf(const StoredOp& op) const {
    const auto at = last_use_.find(op.stats->name);
    return at == last_use_.end() ? op.end : std::max(at->second, op.end);
  }

  // True when this says what the op allocated, so that its outputs must not be counted again.
  bool AddAllocator(const StoredOp& op, const AllocatorMemory& memory) {
    if (memory.bytes_in_use > 0) {
      CounterSample sample;
      sample.time = TimeNs{op.end};
      sample.value = static_cast<double>(memory.bytes_in_use);
      sample.name = block_.strings.Intern("bytes in use");
      sample.series = block_.strings.Intern(memory.allocator);
      block_.counters.emplace_back(sample, op.track);
    }
    for (const AllocationRecord& record : memory.records) AddRecord(op, memory.allocator, record);
    if (!memory.records.empty()) return true;
    if (memory.total_bytes <= 0) return false;
    const int64_t live = std::clamp<int64_t>(memory.live_bytes, 0, memory.total_bytes);
    if (const int64_t scratch = memory.total_bytes - live; scratch > 0) {
      const uint64_t address = ++next_address_;
      Push(op, memory.allocator, op.start, scratch, address);
      Push(op, memory.allocator, op.end, -scratch, address);
    }
    if (live > 0) {
      const uint64_t address = ++next_address_;
      Push(op, memory.allocator, op.start, live, address);
      if (!Stays(op)) Push(op, memory.allocator, LastUseOf(op), -live, address);
    }
    return true;
  }

  // Records have sizes only: a free is that of the last block of its size.
  void AddRecord(const StoredOp& op, std::string_view allocator, const AllocationRecord& record) {
    int64_t time = 0;
    if (__builtin_mul_overflow(record.micros, kNsPerMicro, &time)) return;
    std::vector<uint64_t>& blocks =
        blocks_of_size_[{allocator, std::max(record.bytes, -std::max(record.bytes, -kMostBytes))}];
    uint64_t address = ++next_address_;
    if (record.bytes > 0) {
      blocks.push_back(address);
    } else if (!blocks.empty()) {
      address = blocks.back();
      blocks.pop_back();
    }
    Push(op, allocator, time, record.bytes, address);
  }

  void AddOutputs(const StoredOp& op) {
    for (const NodeOutput& output : op.stats->outputs) {
      const AllocationDescription& allocation = output.allocation;
      const int64_t bytes = std::max(allocation.allocated_bytes, allocation.requested_bytes);
      if (bytes <= 0 || allocation.address == 0) continue;
      const auto [at, is_new] = buffers_.try_emplace(allocation.address);
      Buffer& buffer = at->second;
      if (is_new) {
        buffer = {&op, allocation.allocator, bytes, LastUseOf(op), Stays(op)};
        Push(op, allocation.allocator, op.start, bytes, allocation.address);
      } else {
        buffer.last_use = std::max(buffer.last_use, LastUseOf(op));
        buffer.stays |= Stays(op);
      }
    }
  }

  static bool Stays(const StoredOp& op) {
    constexpr auto kLasting = std::to_array<std::string_view>(
        {"Const", "VariableV2", "Variable", "VarHandleOp", "_Arg", "ReadVariableOp"});
    const std::string_view type = OpTypeOfLabel(op.stats->label);
    return std::ranges::find(kLasting, type) != kLasting.end();
  }

  void Push(const StoredOp& op, std::string_view allocator, int64_t time, int64_t bytes,
            uint64_t address) {
    Allocation allocation;
    allocation.time = TimeNs{time};
    allocation.bytes = bytes;
    allocation.address = address;
    allocation.track = TrackId{op.track};
    allocation.event = op.event;
    allocation.device_type = DeviceType::kCpu;
    if (allocator.starts_with("GPU_")) {
      allocation.device_type = DeviceType::kGpu;
      std::from_chars(allocator.data() + 4, allocator.data() + allocator.size(), allocation.device);
    }
    allocation.op = op.name;
    allocation.allocator = block_.strings.Intern(allocator);
    block_.allocations.push_back(allocation);
  }

  const std::vector<StoredOp>& ops_;
  EventBlock& block_;
  std::unordered_map<std::string_view, int64_t> last_use_;
  // Blocks whose address the file does not tell get one that no allocator gives.
  uint64_t next_address_ = uint64_t{1} << 63;
  std::map<std::pair<std::string_view, int64_t>, std::vector<uint64_t>> blocks_of_size_;
  std::map<uint64_t, Buffer>
      buffers_;  // by address: ordered, so that output does not depend on hashing
};

}  // namespace

void AddRunMemory(const std::vector<StoredOp>& ops, EventBlock& block) {
  RunMemory(ops, block).Add();
}

}  // namespace stepscope
