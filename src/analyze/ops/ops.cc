#include "analyze/ops/ops.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "analyze/ops/call_tree.h"
#include "base/flat_index.h"

namespace stepscope {
namespace {

// All calls of one kind with what both tables need.
struct Calls {
  Calls(Kind kind, const Trace& trace_of, const Links& links_of, const DeviceWork& work_of,
        const StepSelection& selection_of)
      : trace(trace_of),
        links(links_of),
        work(work_of),
        selection(selection_of),
        tree(kind, trace),
        outermost(OutermostCalls(trace, tree)),
        device(trace, links, work, tree),
        runtime(RuntimeBelow()) {}

  // By call: runtime calls directly below it; one inside another is part of it. Empty where there
  // are none.
  std::vector<DurationNs> RuntimeBelow() const {
    std::vector<DurationNs> below;
    const Slices& slices = trace.slices;
    uint32_t near = 0, near_op = 0;
    for (uint32_t i = 0; i < slices.size(); ++i) {
      if (slices.kind[i] != Kind::kCall) continue;
      const SliceId up = slices.parent[i];
      if (up != kNoSlice && slices.kind[Index(up)] == Kind::kCall) continue;
      uint32_t owner = tree.InnermostAt(i, near);
      if (owner == kNoRow && slices.args[i] != kNoRow) {  // on another lane of the thread
        const SliceId op = links.op_of_call[slices.args[i]];
        if (op != kNoSlice) owner = tree.InnermostAt(Index(op), near_op);
      }
      if (owner == kNoRow) continue;
      if (below.empty()) below.resize(tree.size());
      below[owner] += slices.duration[i];
    }
    return below;
  }

  DurationNs Runtime(uint32_t call) const { return runtime.empty() ? DurationNs{} : runtime[call]; }

  const Trace& trace;
  const Links& links;
  const DeviceWork& work;
  const StepSelection& selection;
  const CallTree tree;
  const std::vector<bool> outermost;  // by call, as all below
  const DeviceTotals device;
  const std::vector<DurationNs> runtime;
};

void AddCalls(const Calls& calls, const std::vector<uint32_t>& row_of, std::vector<OpRow>& rows) {
  for (uint32_t call = 0; call < calls.tree.size(); ++call) {
    const uint32_t slice = calls.tree.SliceOf(call);
    if (!calls.selection.Contains(calls.trace.slices.start[slice])) continue;
    const DurationNs duration = calls.trace.slices.duration[slice];
    OpRow& row = rows[row_of[call]];
    ++row.calls;
    row.host_total += duration;
    row.host_self += duration;
    row.host_self_excl_runtime += duration - calls.Runtime(call);
    row.device_total += calls.device.All(call);
    row.tensor_core_total += calls.device.TensorCore(call);
    if (calls.outermost[call]) {
      ++row.calls_outermost;
      row.host_total_outermost += duration;
      row.device_total_outermost += calls.device.All(call);
    }
    const uint32_t parent = calls.tree.ParentOf(call);
    if (parent == kNoRow) continue;
    rows[row_of[parent]].host_self -= duration;
    rows[row_of[parent]].host_self_excl_runtime -= duration;
  }
}

// Calls visit for all device work, whatever the device, in order of start.
template <typename Visit>
void ForEachByStart(const DeviceWork& work, Visit visit) {
  if (work.devices().size() <= 1) {
    for (const Work& item : work.all()) visit(item);
    return;
  }
  std::vector<Work> by_start(work.all().begin(), work.all().end());
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const Work& a, const Work& b) { return a.start < b.start; });
  for (const Work& item : by_start) visit(item);
}

void AddDeviceWork(const Calls& calls, const std::vector<uint32_t>& row_of,
                   std::vector<OpRow>& rows) {
  if (calls.work.empty()) return;
  // By call: its own work seen so far ends here.
  constexpr TimeNs kNoneYet{std::numeric_limits<int64_t>::min()};
  std::vector<TimeNs> covered(calls.tree.size(), kNoneYet);
  OwnerLookup owners(calls.tree, calls.links);
  ForEachByStart(calls.work, [&](const Work& item) {
    const uint32_t owner = owners.Of(item);
    if (owner == kNoRow) return;
    OpRow& row = rows[row_of[owner]];
    row.device_self += item.end - item.start;
    if (calls.trace.Traits(item.slice).tensor_core) row.tensor_core += item.end - item.start;
    if (covered[owner] == kNoneYet) ++row.calls_launching;
    // Work comes by start, so the union grows by what lies after all seen so far.
    const TimeNs from = std::max(item.start, covered[owner]);
    if (item.end > from) row.device_self_union += item.end - from;
    covered[owner] = std::max(item.end, covered[owner]);
  });
}

StringId ShapesOf(const Trace& trace, uint32_t slice) {
  const uint32_t args = trace.slices.args[slice];
  return args == kNoRow ? kEmptyString : trace.op_args[args].input_dims;
}

enum class GroupBy : uint8_t { kName, kNameAndShapes };

// Appends one row for each distinct name, or name and shapes.
void AddRows(const Calls& calls, GroupBy group_by, std::vector<OpRow>& rows) {
  const Trace& trace = calls.trace;
  FlatIndex index;
  const auto first = static_cast<uint32_t>(rows.size());
  std::vector<uint32_t> row_of(calls.tree.size());
  for (uint32_t call = 0; call < calls.tree.size(); ++call) {
    const uint32_t slice = calls.tree.SliceOf(call);
    const StringId name = trace.slices.name[slice];
    const StringId shapes = group_by == GroupBy::kName ? kEmptyString : ShapesOf(trace, slice);
    row_of[call] = first + index.Of(uint64_t{Index(name)} << 32 | Index(shapes));
    if (row_of[call] != rows.size()) continue;
    OpRow& row = rows.emplace_back();
    row.name = name;
    row.kind = calls.tree.kind();
    row.input_dims = shapes;
    row.tensor_core_eligible = trace.traits[Index(name)].tensor_core_eligible;
  }
  AddCalls(calls, row_of, rows);
  AddDeviceWork(calls, row_of, rows);
  std::erase_if(rows, [](const OpRow& row) { return row.calls == 0; });  // not in the selection
}

// By device time, host time, name (and shapes).
void Sort(const Trace& trace, std::vector<OpRow>& rows) {
  std::sort(rows.begin(), rows.end(), [&](const OpRow& a, const OpRow& b) {
    return std::tuple(b.device_self, b.host_self, trace.strings[a.name], a.kind,
                      trace.strings[a.input_dims]) < std::tuple(a.device_self, a.host_self,
                                                                trace.strings[b.name], b.kind,
                                                                trace.strings[b.input_dims]);
  });
}

}  // namespace

OpTables AnalyzeOps(const Trace& trace, const Links& links, const DeviceWork& work,
                    const StepSelection& selection) {
  OpTables tables;
  const Calls ops(Kind::kOp, trace, links, work, selection);
  AddRows(ops, GroupBy::kName, tables.by_name);
  if (trace.facts.has_shapes) AddRows(ops, GroupBy::kNameAndShapes, tables.by_shape);
  AddRows(Calls(Kind::kAnnotation, trace, links, work, selection), GroupBy::kName, tables.by_name);
  Sort(trace, tables.by_name);
  Sort(trace, tables.by_shape);
  return tables;
}

}  // namespace stepscope
