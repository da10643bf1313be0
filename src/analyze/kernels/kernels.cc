#include "analyze/kernels/kernels.h"

#include <algorithm>
#include <tuple>

#include "base/flat_index.h"

namespace stepscope {
namespace {

Kind RowKind(WorkClass work_class) {
  if (work_class == WorkClass::kCopy) return Kind::kCopy;
  if (work_class == WorkClass::kMemset) return Kind::kMemset;
  return Kind::kKernel;
}

KernelCategory CategoryOf(const Trace& trace, const Work& item) {
  switch (item.work_class) {
    case WorkClass::kCopy:
      return KernelCategory::kCopy;
    case WorkClass::kMemset:
      return KernelCategory::kMemset;
    case WorkClass::kCommunication:
      return KernelCategory::kCommunication;
    case WorkClass::kCompute:
      break;
  }
  return trace.Traits(item.slice).category;
}

// A mean weighted by duration, over the calls that have a value; calls without one count as 0 where
// others have one, as in the TensorBoard plugin.
struct WeightedMean {
  double sum = 0;
  double weight = 0;
  bool known = false;

  void Add(float value, DurationNs time) {
    weight += static_cast<double>(time.ns);
    if (value < 0) return;
    known = true;
    sum += static_cast<double>(value) * static_cast<double>(time.ns);
  }
  std::optional<double> Mean() const {
    if (!known) return std::nullopt;
    return weight > 0 ? sum / weight : 0;
  }
};

// Rows with what is needed to finish them.
struct Grouping {
  std::vector<KernelRow> rows;
  std::vector<uint32_t> row_of;  // by piece of work
  std::vector<WeightedMean> blocks;
  std::vector<WeightedMean> occupancy;
  FlatIndex launchers;               // row and op that launched some of it
  std::vector<DurationNs> launched;  // by launcher
};

// The op that a piece of work belongs to. What the event itself says is more exact: all kernels of
// a CUDA graph have one launch.
StringId OpOf(const Trace& trace, const Links& links, uint32_t row) {
  const StringId op = trace.device_args[row].op;
  if (op != kEmptyString || links.op_of[row] == kNoSlice) return op;
  return trace.slices.name[Index(links.op_of[row])];
}

// One pass over all work.
Grouping Group(const Trace& trace, const Links& links, const DeviceWork& work) {
  Grouping grouping;
  grouping.row_of.reserve(work.size());
  FlatIndex index;
  for (const Work& item : work.all()) {
    const StringId name = trace.slices.name[item.slice];
    const auto kind = static_cast<uint64_t>(RowKind(item.work_class));
    const uint64_t key =
        static_cast<uint64_t>(item.device) << 40 | kind << 32 | uint64_t{Index(name)};
    const uint32_t at = index.Of(key);
    const DurationNs time = item.end - item.start;
    if (at == grouping.rows.size()) {
      KernelRow& row = grouping.rows.emplace_back();
      row.name = name;
      row.kind = RowKind(item.work_class);
      row.device = item.device;
      row.min = row.max = time;
      row.category = CategoryOf(trace, item);
      row.tensor_core = trace.Traits(item.slice).tensor_core;
      grouping.blocks.emplace_back();
      grouping.occupancy.emplace_back();
    }
    KernelRow& row = grouping.rows[at];
    ++row.calls;
    row.total += time;
    row.min = std::min(row.min, time);
    row.max = std::max(row.max, time);
    grouping.row_of.push_back(at);
    if (item.row == kNoRow) continue;
    grouping.blocks[at].Add(trace.device_args[item.row].blocks_per_sm, time);
    grouping.occupancy[at].Add(trace.device_args[item.row].occupancy_percent, time);
    const StringId op = OpOf(trace, links, item.row);
    if (op == kEmptyString) continue;
    const uint32_t launcher = grouping.launchers.Of(uint64_t{at} << 32 | Index(op));
    if (launcher == grouping.launched.size()) grouping.launched.emplace_back();
    grouping.launched[launcher] += time;
  }
  return grouping;
}

// Durations laid out row by row, then the lower middle of each.
void AddMedians(const DeviceWork& work, Grouping& grouping) {
  std::vector<size_t> next(grouping.rows.size());
  size_t sum = 0;
  for (size_t r = 0; r < grouping.rows.size(); ++r) {
    next[r] = sum;
    sum += grouping.rows[r].calls;
  }
  std::vector<DurationNs> durations(sum);
  for (size_t i = 0; const Work& item : work.all()) {
    durations[next[grouping.row_of[i++]]++] = item.end - item.start;
  }
  for (size_t r = 0; r < grouping.rows.size(); ++r) {
    const auto end = durations.begin() + static_cast<std::ptrdiff_t>(next[r]);
    const auto begin = end - static_cast<std::ptrdiff_t>(grouping.rows[r].calls);
    const auto middle = begin + static_cast<std::ptrdiff_t>((grouping.rows[r].calls - 1) / 2);
    std::nth_element(begin, middle, end);
    grouping.rows[r].p50 = *middle;
  }
}

void AddLaunchers(const Trace& trace, Grouping& grouping) {
  for (size_t at = 0; at < grouping.launchers.size(); ++at) {
    const uint64_t key = grouping.launchers.keys()[at];
    grouping.rows[key >> 32].launched_by.push_back(
        {StringId{static_cast<uint32_t>(key)}, grouping.launched[at]});
  }
  for (KernelRow& row : grouping.rows) {
    std::sort(row.launched_by.begin(), row.launched_by.end(),
              [&](const LaunchedBy& a, const LaunchedBy& b) {
                return std::tuple(b.total, trace.strings[a.op]) <
                       std::tuple(a.total, trace.strings[b.op]);
              });
  }
}

}  // namespace

std::vector<KernelRow> AnalyzeKernels(const Trace& trace, const Links& links,
                                      const DeviceWork& work) {
  Grouping grouping = Group(trace, links, work);
  AddMedians(work, grouping);
  AddLaunchers(trace, grouping);
  for (size_t r = 0; r < grouping.rows.size(); ++r) {
    grouping.rows[r].mean_blocks_per_sm = grouping.blocks[r].Mean();
    grouping.rows[r].mean_occupancy_percent = grouping.occupancy[r].Mean();
  }
  std::sort(grouping.rows.begin(), grouping.rows.end(),
            [&](const KernelRow& a, const KernelRow& b) {
              return std::tuple(b.total, trace.strings[a.name], a.device, a.kind) <
                     std::tuple(a.total, trace.strings[b.name], b.device, b.kind);
            });
  return std::move(grouping.rows);
}

}  // namespace stepscope
