#include "analyze/ops/ops.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analyze/flat_index.h"
#include "analyze/ops/call_tree.h"

namespace stepscope {
namespace {

// All calls of one kind with what both tables need.
struct Calls {
  Calls(Kind kind, const Trace& trace_of, const Links& links_of, const DeviceWork& work_of)
      : trace(trace_of),
        links(links_of),
        work(work_of),
        tree(kind, trace),
        outermost(OutermostCalls(trace, tree)),
        device(DeviceTotals(trace, links, work, tree, [](const Work&) { return true; })),
        tensor_core(DeviceTotals(trace, links, work, tree, [&](const Work& item) {
          return trace.Traits(item.slice).tensor_core;
        })) {}

  const Trace& trace;
  const Links& links;
  const DeviceWork& work;
  CallTree tree;
  std::vector<bool> outermost;     // by slice, as the next two
  std::vector<DurationNs> device;  // of the call and all below it
  std::vector<DurationNs> tensor_core;
};

// Rows of one table: calls grouped by what row_of(slice) says.
class Table {
 public:
  Table(const Calls& calls, std::vector<OpRow>& rows) : calls_(calls), rows_(rows) {}

  template <typename RowOf>
  void Fill(RowOf row_of) {
    for (const uint32_t call : calls_.tree.calls()) AddCall(call, row_of);
    SubtractRuntime(row_of);
    AddDeviceWork(row_of);
  }

 private:
  template <typename RowOf>
  void AddCall(uint32_t call, RowOf row_of) {
    const DurationNs duration = calls_.trace.slices.duration[call];
    OpRow& row = rows_[row_of(call)];
    ++row.calls;
    row.host_total += duration;
    row.host_self += duration;
    row.host_self_excl_runtime += duration;
    row.device_total += calls_.device[call];
    row.tensor_core_total += calls_.tensor_core[call];
    if (calls_.outermost[call]) {
      ++row.calls_outermost;
      row.host_total_outermost += duration;
      row.device_total_outermost += calls_.device[call];
    }
    const uint32_t parent = calls_.tree.ParentOf(call);
    if (parent == kNoRow) return;
    OpRow& around = rows_[row_of(parent)];
    around.host_self -= duration;
    around.host_self_excl_runtime -= duration;
  }

  // Runtime calls directly below a call; one inside another is part of it.
  template <typename RowOf>
  void SubtractRuntime(RowOf row_of) {
    const Slices& slices = calls_.trace.slices;
    for (uint32_t i = 0; i < slices.size(); ++i) {
      if (slices.kind[i] != Kind::kCall) continue;
      const SliceId up = slices.parent[i];
      if (up != kNoSlice && slices.kind[Index(up)] == Kind::kCall) continue;
      uint32_t owner = calls_.tree.InnermostAt(i);
      if (owner == kNoRow && slices.args[i] != kNoRow) {  // on another lane of the thread
        const SliceId op = calls_.links.op_of_call[slices.args[i]];
        if (op != kNoSlice) owner = calls_.tree.InnermostAt(Index(op));
      }
      if (owner != kNoRow) rows_[row_of(owner)].host_self_excl_runtime -= slices.duration[i];
    }
  }

  template <typename RowOf>
  void AddDeviceWork(RowOf row_of) {
    FlatIndex owners;             // calls with device work of their own
    std::vector<TimeNs> covered;  // by owner: its work seen so far ends here
    ForEachByStart([&](const Work& item) {
      const uint32_t owner = calls_.tree.OwnerOf(item, calls_.links);
      if (owner == kNoRow) return;
      OpRow& row = rows_[row_of(owner)];
      row.device_self += item.end - item.start;
      if (calls_.trace.Traits(item.slice).tensor_core) row.tensor_core += item.end - item.start;
      const uint32_t at = owners.Of(owner);
      if (at == covered.size()) {
        ++row.calls_launching;
        covered.push_back(item.start);
      }
      // Work comes by start, so the union grows by what lies after all seen so far.
      const TimeNs from = std::max(item.start, covered[at]);
      if (item.end <= from) return;
      row.device_self_union += item.end - from;
      covered[at] = item.end;
    });
  }

  template <typename Visit>
  void ForEachByStart(Visit visit) const {
    if (calls_.work.devices().size() <= 1) {
      for (const Work& item : calls_.work.all()) visit(item);
      return;
    }
    std::vector<Work> by_start(calls_.work.all().begin(), calls_.work.all().end());
    std::stable_sort(by_start.begin(), by_start.end(),
                     [](const Work& a, const Work& b) { return a.start < b.start; });
    for (const Work& item : by_start) visit(item);
  }

  const Calls& calls_;
  std::vector<OpRow>& rows_;
};

OpRow EmptyRow(const Trace& trace, Kind kind, StringId name, StringId shapes) {
  OpRow row;
  row.name = name;
  row.kind = kind;
  row.input_dims = shapes;
  row.tensor_core_eligible = trace.traits[Index(name)].tensor_core_eligible;
  return row;
}

void GroupByName(const Calls& calls, std::vector<OpRow>& rows) {
  const Trace& trace = calls.trace;
  std::vector<uint32_t> row_of_name(trace.strings.size(), kNoRow);
  for (const uint32_t call : calls.tree.calls()) {
    uint32_t& row = row_of_name[Index(trace.slices.name[call])];
    if (row != kNoRow) continue;
    row = static_cast<uint32_t>(rows.size());
    rows.push_back(EmptyRow(trace, calls.tree.kind(), trace.slices.name[call], kEmptyString));
  }
  Table(calls, rows).Fill([&](uint32_t call) {
    return row_of_name[Index(trace.slices.name[call])];
  });
}

void GroupByShape(const Calls& calls, std::vector<OpRow>& rows) {
  const Trace& trace = calls.trace;
  FlatIndex index;  // (name, shapes)
  std::vector<uint32_t> row_of_call(trace.slices.size(), kNoRow);
  for (const uint32_t call : calls.tree.calls()) {
    const StringId name = trace.slices.name[call];
    const uint32_t args = trace.slices.args[call];
    const StringId shapes = args == kNoRow ? kEmptyString : trace.op_args[args].input_dims;
    row_of_call[call] = index.Of(uint64_t{Index(name)} << 32 | Index(shapes));
    if (row_of_call[call] == rows.size()) {
      rows.push_back(EmptyRow(trace, calls.tree.kind(), name, shapes));
    }
  }
  Table(calls, rows).Fill([&](uint32_t call) { return row_of_call[call]; });
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

bool Has(const Trace& trace, Kind kind) {
  return std::find(trace.slices.kind.begin(), trace.slices.kind.end(), kind) !=
         trace.slices.kind.end();
}

}  // namespace

OpTables AnalyzeOps(const Trace& trace, const Links& links, const DeviceWork& work) {
  OpTables tables;
  if (Has(trace, Kind::kOp)) {
    const Calls ops(Kind::kOp, trace, links, work);
    GroupByName(ops, tables.by_name);
    if (trace.facts.has_shapes) GroupByShape(ops, tables.by_shape);
  }
  if (Has(trace, Kind::kAnnotation)) {
    GroupByName(Calls(Kind::kAnnotation, trace, links, work), tables.by_name);
  }
  Sort(trace, tables.by_name);
  Sort(trace, tables.by_shape);
  return tables;
}

}  // namespace stepscope
