#include "analyze/whatif/step_path.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "analyze/whatif/critical_path.h"
#include "analyze/whatif/step_graph.h"

namespace stepscope {
namespace {

// Walks the path back from the end of the step. A node takes the time up to the start of the node
// that it held back; time between its end and that start is the delay of a launch.
std::vector<CriticalSpan> SpansOf(const StepGraph& graph) {
  const Step& step = graph.step();
  std::vector<CriticalSpan> spans;
  TimeNs until = step.end();
  const auto add = [&](TimeNs from, SliceId slice, bool device) {
    from = std::max(from, step.start);
    if (from >= until) return;
    const bool same = !spans.empty() && spans.back().slice == slice && slice != kNoSlice;
    if (same) {
      spans.back().start = from;
    } else {
      spans.push_back({from, until, slice, device});
    }
    until = from;
  };
  for (const uint32_t id : CriticalPathOf(graph)) {
    const WorkNode& node = graph.nodes()[id];
    add(node.end, kNoSlice, false);
    // A call that waits adds what it takes after the end of what it waited for.
    const bool waits = !node.device && node.trigger != kNoRow;
    const TimeNs waited = waits ? graph.nodes()[node.trigger].end : node.start;
    add(waited < until ? std::max(node.start, waited) : node.start, node.slice, node.device);
  }
  add(step.start, kNoSlice, false);
  std::ranges::reverse(spans);
  return spans;
}

std::vector<CriticalRow> RowsOf(const Trace& trace, const std::vector<CriticalSpan>& spans) {
  std::map<std::tuple<uint32_t, Kind, bool>, CriticalRow> rows;
  for (const CriticalSpan& span : spans) {
    if (span.slice == kNoSlice) continue;
    const StringId name = trace.slices.name[Index(span.slice)];
    const Kind kind = trace.slices.kind[Index(span.slice)];
    CriticalRow& row = rows[{Index(name), kind, span.device}];
    row.name = name;
    row.kind = kind;
    row.device = span.device;
    ++row.spans;
    row.total += span.end - span.start;
  }
  std::vector<CriticalRow> sorted;
  for (const auto& [key, row] : rows) sorted.push_back(row);
  std::ranges::sort(sorted, [&](const CriticalRow& a, const CriticalRow& b) {
    return a.total != b.total ? a.total > b.total : trace.strings[a.name] < trace.strings[b.name];
  });
  return sorted;
}

}  // namespace

CriticalPath AnalyzeCriticalPath(const LinkedTrace& linked, uint32_t step) {
  CriticalPath path;
  if (step >= linked.steps.items.size()) return path;
  const std::array<uint32_t, 1> asked{step};
  // The step as it was recorded: what recording cost stays in it.
  const StepGraph graph(linked, step, DeviceRowsOf(linked.trace, linked.steps, asked).front(), {});
  if (graph.nodes().empty()) return path;
  path.step = step;
  path.spans = SpansOf(graph);
  path.rows = RowsOf(linked.trace, path.spans);
  for (const CriticalSpan& span : path.spans) {
    DurationNs& part = span.slice == kNoSlice ? path.delay : span.device ? path.device : path.host;
    part += span.end - span.start;
  }
  return path;
}

}  // namespace stepscope
