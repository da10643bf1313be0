#pragma once

#include <string_view>
#include <utility>

#include "analyze/report.h"
#include "base/task_pool.h"
#include "trace/testing/trace_text.h"

namespace stepscope {

// A drawn trace with its report.
struct Analyzed {
  Trace trace;
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
  Analyzed analyzed{std::move(trace), {}};
  analyzed.report = Analyze(analyzed.trace, {}, options, pool);
  return analyzed;
}

inline Analyzed AnalyzeText(std::string_view text, const ReportOptions& options = {}) {
  return AnalyzeDrawn(TraceText(text), options);
}

}  // namespace stepscope
