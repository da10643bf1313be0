#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "analyze/report.h"
#include "base/task_pool.h"
#include "trace/testing/trace_text.h"

namespace stepscope {

// A drawn trace with its report.
struct Analyzed {
  std::unique_ptr<const Trace> owned;
  const Trace& trace;
  LinkedTrace linked;
  Report report;

  // Idle time of a cause over all steps of the only device.
  int64_t Idle(Cause cause) const {
    for (const IdleCause& row : report.idle_causes) {
      if (row.cause == cause) return row.total.ns;
    }
    return 0;
  }
  const IdleCause* Row(Cause cause) const {
    for (const IdleCause& row : report.idle_causes) {
      if (row.cause == cause) return &row;
    }
    return nullptr;
  }
  const OpRow* Op(std::string_view name) const {
    for (const OpRow& row : report.ops) {
      if (trace.strings[row.name] == name) return &row;
    }
    return nullptr;
  }
};

inline Analyzed AnalyzeDrawn(Trace trace, const ReportOptions& options = {}) {
  TaskPool pool(1);
  auto owned = std::make_unique<const Trace>(std::move(trace));
  LinkedTrace linked = LinkTrace(*owned, options.steps, pool);
  Report report = Analyze(linked, {}, options, pool);
  const Trace& drawn = *owned;
  return {std::move(owned), drawn, std::move(linked), std::move(report)};
}

inline Analyzed AnalyzeText(std::string_view text, const ReportOptions& options = {}) {
  return AnalyzeDrawn(TraceText(text), options);
}

}  // namespace stepscope
