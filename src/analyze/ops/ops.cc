#include "analyze/ops/ops.h"

#include <algorithm>
#include <tuple>

#include "analyze/flat_index.h"
#include "analyze/ops/op_calls.h"

namespace stepscope {
namespace {

// Adds one call to the row of its group.
void Add(OpRow& row, const OpCall& call, DurationNs duration) {
  ++row.calls;
  row.host_total += duration;
  row.host_self += duration - call.host_children;
  row.host_self_excl_runtime += duration - call.host_children - call.host_runtime;
  row.device_self += call.device_self;
  row.device_total += call.device_total;
  row.device_self_union += call.device_union;
  row.tensor_core += call.tensor_core_self;
  row.tensor_core_total += call.tensor_core_total;
  if (call.launched > 0) ++row.calls_launching;
  if (!call.outermost) return;
  ++row.calls_outermost;
  row.host_total_outermost += duration;
  row.device_total_outermost += call.device_total;
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

StringId ShapesOf(const Trace& trace, uint32_t slice) {
  const uint32_t args = trace.slices.args[slice];
  return args == kNoRow ? kEmptyString : trace.op_args[args].input_dims;
}

// One row for each distinct key; key_of(slice) is (name, shapes).
template <typename KeyOf>
void Group(const Trace& trace, const std::vector<OpCall>& calls, Kind kind, KeyOf key_of,
           std::vector<OpRow>& rows) {
  FlatIndex index;
  const size_t first = rows.size();
  for (const OpCall& call : calls) {
    const auto [name, shapes] = key_of(call.slice);
    const size_t at = first + index.Of(uint64_t{Index(name)} << 32 | Index(shapes));
    if (at == rows.size()) {
      OpRow& row = rows.emplace_back();
      row.name = name;
      row.kind = kind;
      row.input_dims = shapes;
      row.tensor_core_eligible = trace.traits[Index(name)].tensor_core_eligible;
    }
    Add(rows[at], call, trace.slices.duration[call.slice]);
  }
}

}  // namespace

OpTables AnalyzeOps(const Trace& trace, const Links& links, const DeviceWork& work) {
  OpTables tables;
  for (const Kind kind : {Kind::kOp, Kind::kAnnotation}) {
    const std::vector<OpCall> calls = CallsOf(kind, trace, links, work);
    Group(
        trace, calls, kind,
        [&](uint32_t slice) { return std::pair(trace.slices.name[slice], kEmptyString); },
        tables.by_name);
    if (kind != Kind::kOp || !trace.facts.has_shapes) continue;
    Group(
        trace, calls, kind,
        [&](uint32_t slice) { return std::pair(trace.slices.name[slice], ShapesOf(trace, slice)); },
        tables.by_shape);
  }
  Sort(trace, tables.by_name);
  Sort(trace, tables.by_shape);
  return tables;
}

}  // namespace stepscope
