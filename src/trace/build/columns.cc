#include "trace/build/columns.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "base/release.h"
#include "base/sort_runs.h"
#include "trace/build/limits.h"

namespace stepscope {
namespace {

// Appends one table of every block in file order, `adjust` turning block-local numbers into the
// file's, and frees the blocks' tables on the way. A single block's table is taken as it is.
template <typename Row, typename Adjust>
std::vector<Row> Append(std::span<EventBlock> blocks, std::vector<Row> EventBlock::* table,
                        Adjust adjust) {
  size_t total = 0;
  for (const EventBlock& block : blocks) total += (block.*table).size();
  std::vector<Row> all;
  for (size_t b = 0; b < blocks.size(); ++b) {
    std::vector<Row> rows = std::exchange(blocks[b].*table, {});
    for (Row& row : rows) adjust(row, b);
    if (all.empty() && rows.size() == total) {
      all = std::move(rows);
      continue;
    }
    all.reserve(total);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

class TableCopier {
 public:
  TableCopier(std::span<EventBlock> blocks, const Joined& joined, std::span<const ArgsBases> bases,
              int64_t origin, Trace& trace)
      : blocks_(blocks), joined_(joined), bases_(bases), origin_(origin), trace_(trace) {}

  void OpTable() const {
    trace_.op_args = Append(blocks_, &EventBlock::op_args, [this](OpArgs& row, size_t b) {
      row.input_dims = String(row.input_dims, b);
      row.input_types = String(row.input_types, b);
      row.stack = String(row.stack, b);
    });
  }
  void CallTable() const {
    trace_.call_args = Append(blocks_, &EventBlock::call_args, [](CallArgs&, size_t) {});
  }
  void DeviceTable() const {
    const bool adopted = !trace_.device_args.empty();
    size_t total = 0;
    for (const EventBlock& block : blocks_) total += block.device_args.size();
    for (size_t b = 0; b < blocks_.size(); ++b) {
      EventBlock& block = blocks_[b];
      const std::vector<StringId>& strings = joined_.maps[b].strings;
      const uint32_t collective = bases_[b].collective;
      if (adopted) {  // each is in its place
        trace_.device_args.Settle(bases_[b].device, block.placed_device_args, block.device_args,
                                  strings, collective);
      } else if (!block.device_args.empty()) {
        trace_.device_args.Append(std::move(block.device_args), strings, collective, total);
      }
    }
  }
  void CollectiveTable() const {
    trace_.collectives =
        Append(blocks_, &EventBlock::collectives, [this](CollectiveArgs& row, size_t b) {
          row.name = String(row.name, b);
          row.dtype = String(row.dtype, b);
          row.group = String(row.group, b);
        });
  }
  void FrameTable() const {
    trace_.frame_args = Append(blocks_, &EventBlock::frame_args, [](FrameArgs&, size_t) {});
  }
  void FlowTable() const {
    trace_.flows = Append(blocks_, &EventBlock::flows, [this](Flow& row, size_t b) {
      row.name = String(row.name, b);
      Rebase(row, b);
    });
    // Starts and ends alternate in files, but each are in order for long stretches.
    std::stable_partition(trace_.flows.begin(), trace_.flows.end(),
                          [](const Flow& flow) { return flow.phase == FlowPhase::kStart; });
    SortRuns(trace_.flows, kInTimeOrder);
  }
  void InstantTable() const {
    trace_.instants = Append(blocks_, &EventBlock::instants, [this](Instant& row, size_t b) {
      row.name = String(row.name, b);
      Rebase(row, b);
    });
    SortRuns(trace_.instants, kInTimeOrder);
  }
  // Rows are large and, with several threads, out of order. Then small keys are sorted, and each
  // row moves from its block to its place.
  void AllocationTable() const {
    struct TimedRow {
      TimeNs time;
      const Allocation* row;
    };
    size_t total = 0;
    bool in_order = true;
    TimeNs last{std::numeric_limits<int64_t>::min()};
    for (size_t b = 0; b < blocks_.size(); ++b) {
      total += blocks_[b].allocations.size();
      for (Allocation& row : blocks_[b].allocations) {
        row.op = String(row.op, b);
        row.allocator = String(row.allocator, b);
        Rebase(row, b);
        in_order = in_order && last <= row.time;
        last = row.time;
      }
    }
    if (in_order) {
      trace_.allocations =
          Append(blocks_, &EventBlock::allocations, [](const Allocation&, size_t) {});
      return;
    }
    std::vector<TimedRow> rows;
    rows.reserve(total);
    for (const EventBlock& block : blocks_) {
      for (const Allocation& row : block.allocations) rows.push_back({row.time, &row});
    }
    SortRuns(rows, [](const TimedRow& a, const TimedRow& b) {
      return a.time != b.time ? a.time < b.time : a.row->event < b.row->event;
    });
    trace_.allocations.reserve(total);
    for (const TimedRow& timed : rows) trace_.allocations.push_back(*timed.row);
    for (EventBlock& block : blocks_) Release(block.allocations);
  }
  void CounterTable() const {
    for (size_t b = 0; b < blocks_.size(); ++b) {
      for (auto& [row, track] : blocks_[b].counters) {
        row.name = String(row.name, b);
        row.series = String(row.series, b);
        row.time = {ClampTime(row.time.ns) - origin_};
        row.process = joined_.rows[joined_.maps[b].rows[track]].track.process;
        trace_.counters.push_back(row);
      }
      Release(blocks_[b].counters);
    }
    std::stable_sort(trace_.counters.begin(), trace_.counters.end(),
                     [](const CounterSample& a, const CounterSample& b) {
                       return std::tie(a.process, a.name, a.series, a.time) <
                              std::tie(b.process, b.name, b.series, b.time);
                     });
  }

 private:
  StringId String(StringId id, size_t b) const { return joined_.maps[b].strings[Index(id)]; }

  template <typename Row>
  void Rebase(Row& row, size_t b) const {
    row.time = {ClampTime(row.time.ns) - origin_};
    row.track = TrackId{joined_.rows[joined_.maps[b].rows[Index(row.track)]].first_track};
    row.event += joined_.maps[b].first_event;
  }

  static constexpr auto kInTimeOrder = [](const auto& a, const auto& b) {
    return a.time != b.time ? a.time < b.time : a.event < b.event;
  };

  std::span<EventBlock> blocks_;
  const Joined& joined_;
  std::span<const ArgsBases> bases_;
  int64_t origin_;
  Trace& trace_;
};

}  // namespace

std::vector<ArgsBases> ArgsBasesOf(std::span<const EventBlock> blocks) {
  std::vector<ArgsBases> bases;
  ArgsBases next;
  for (const EventBlock& block : blocks) {
    bases.push_back(next);
    next.op += static_cast<uint32_t>(block.op_args.size());
    next.call += static_cast<uint32_t>(block.call_args.size());
    next.device += static_cast<uint32_t>(block.device_args.size()) + block.placed_device_args;
    next.frame += static_cast<uint32_t>(block.frame_args.size());
    next.collective += static_cast<uint32_t>(block.collectives.size());
  }
  return bases;
}

void CopySpans(std::span<EventBlock> blocks, const Joined& joined, std::span<const ArgsBases> bases,
               const PlacedSpans& placement, Slices& slices, TaskPool& pool) {
  slices.name.resize(slices.start.size());
  slices.args.resize(slices.start.size());
  slices.kind.resize(slices.start.size());
  slices.flags.resize(slices.start.size());
  pool.ForEach(blocks.size(), [&](size_t b) {
    EventBlock& block = blocks[b];
    const BlockMaps& maps = joined.maps[b];
    const std::vector<uint32_t>& row_of = placement.row_of[b];
    for (size_t i = 0; i < row_of.size(); ++i) {
      const uint32_t row = row_of[i];
      slices.name[row] = maps.strings[Index(block.name[i])];
      slices.args[row] =
          block.args[i] == kNoRow ? kNoRow : block.args[i] + bases[b].Of(block.kind[i]);
      slices.kind[row] = block.kind[i];
      slices.flags[row] = block.flags[i];
    }
    Release(block.name);
    Release(block.args);
    Release(block.kind);
    Release(block.flags);
  });
}

void CopyTables(std::span<EventBlock> blocks, const Joined& joined,
                std::span<const ArgsBases> bases, int64_t origin, Trace& trace, TaskPool& pool) {
  const TableCopier copier(blocks, joined, bases, origin, trace);
  // Usually the largest first.
  constexpr std::array kCopies = {
      &TableCopier::DeviceTable,  &TableCopier::OpTable,      &TableCopier::FlowTable,
      &TableCopier::CallTable,    &TableCopier::FrameTable,   &TableCopier::AllocationTable,
      &TableCopier::InstantTable, &TableCopier::CounterTable, &TableCopier::CollectiveTable};
  pool.ForEach(kCopies.size(), [&](size_t i) { std::invoke(kCopies[i], copier); });
}

}  // namespace stepscope
