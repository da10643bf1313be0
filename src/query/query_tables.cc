#include "query/query_tables.h"

#include <algorithm>
#include <utility>

#include "advise/advise.h"
#include "advise/finding_columns.h"
#include "analyze/raw/raw_tables.h"
#include "analyze/report_tables.h"
#include "query/stored_events.h"
#include "study/study.h"

namespace stepscope::query {
namespace {

using tables::TableRows;
using tables::TraceRows;

std::vector<const StringTable*> StringsOf(const std::vector<TraceAccess>& traces) {
  std::vector<const StringTable*> strings;
  for (const TraceAccess& trace : traces) strings.push_back(&trace.trace->strings);
  return strings;
}

std::vector<TraceAccess> AccessTo(Study& study) {
  std::vector<TraceAccess> traces;
  for (size_t t = 0; t < study.size(); ++t) {
    auto events = std::make_shared<const StoredEvents>(study, t, StoredEvents::Access::kMany);
    traces.push_back({.trace = &study.trace(t),
                      .linked = [&study, t]() -> const LinkedTrace& { return study.linked(t); },
                      .report = [&study, t]() -> const Report& { return study.report(t); },
                      .advice = [&study, t] { return &study.advice()[t]; },
                      .event = [events](uint32_t event) { return events->Json(event); },
                      .execution = &study.execution(t)});
  }
  return traces;
}

// Steps and idle time show numbers of the report; every other raw table does without it, so that
// most queries need not wait for it.
bool NeedsReport(std::string_view table) { return table == "step" || table == "idle"; }

// The table of the trace has the name `memory`: it shows every allocation.
std::string SqlNameOf(std::string_view report_table) {
  return report_table == "memory" ? "device_memory" : std::string(report_table);
}

}  // namespace

QueryTables::QueryTables(Study& study) : QueryTables(AccessTo(study)) {}

QueryTables::QueryTables(std::vector<TraceAccess> traces)
    : traces_(std::move(traces)), names_(StringsOf(traces_)) {
  for (size_t t = 0; t < traces_.size(); ++t) rows_.push_back(std::make_unique<LazyRows>());
  AddRawTables();
  AddReportTables();
  AddFindings();
  for (const std::unique_ptr<SqlTable>& table : tables_) {
    table->Resolve([this](std::string_view name) {
      return Find(name == "args" ? "slice" : name);  // arguments go by the number of their slice
    });
  }
}

void QueryTables::AddRawTables() {
  for (const tables::RawTable& table : tables::RawTables()) {
    tables_.push_back(std::make_unique<SqlTable>(
        std::string(table.facts.name), table.facts.meaning, table.facts.columns, traces_.size(),
        [this, &table](size_t trace) -> TableRows {
          return {
              table.Rows(NeedsReport(table.facts.name) ? RowsWithReport(trace) : RowsOf(trace))};
        },
        names_));
  }
}

void QueryTables::AddReportTables() {
  for (const tables::ReportTable* table : tables::ReportTables()) {
    tables_.push_back(std::make_unique<SqlTable>(
        SqlNameOf(table->facts.name), table->facts.meaning, table->facts.columns, traces_.size(),
        [this, table](size_t trace) {
          return table->rows(traces_[trace].linked(), traces_[trace].report());
        },
        names_));
  }
}

void QueryTables::AddFindings() {
  tables_.push_back(std::make_unique<SqlTable>(
      "finding", tables::kFindings.meaning, tables::kFindings.columns, traces_.size(),
      [this](size_t trace) -> TableRows {
        const Advice* const advice = traces_[trace].advice();
        if (advice == nullptr) return {};
        return {{traces_[trace].trace, advice->findings.data(),
                 static_cast<uint32_t>(advice->findings.size())}};
      },
      names_));
}

std::vector<QueryTables::Facts> QueryTables::All() {
  std::vector<Facts> all;
  for (const tables::RawTable& table : tables::RawTables()) {
    all.push_back({std::string(table.facts.name), table.facts.meaning, table.facts.columns});
  }
  for (const tables::ReportTable* table : tables::ReportTables()) {
    all.push_back({SqlNameOf(table->facts.name), table->facts.meaning, table->facts.columns});
  }
  all.push_back({"finding", tables::kFindings.meaning, tables::kFindings.columns});
  return all;
}

const SqlTable* QueryTables::Find(std::string_view name) const {
  const auto at = std::ranges::find(tables_, name,
                                    [](const auto& t) -> const std::string& { return t->name(); });
  return at == tables_.end() ? nullptr : at->get();
}

const TraceRows& QueryTables::RowsOf(size_t trace) const {
  LazyRows& lazy = *rows_[trace];
  std::call_once(lazy.once, [&] {
    const LinkedTrace& linked = traces_[trace].linked();
    lazy.rows =
        std::make_unique<const TraceRows>(TraceRows::Parts{.trace = linked.trace,
                                                           .links = linked.links,
                                                           .steps = linked.steps,
                                                           .trace_id = static_cast<uint32_t>(trace),
                                                           .execution = traces_[trace].execution});
  });
  return *lazy.rows;
}

const TraceRows& QueryTables::RowsWithReport(size_t trace) const {
  LazyRows& lazy = *rows_[trace];
  std::call_once(lazy.report_once, [&] {
    lazy.with_report = std::make_unique<const TraceRows>(
        traces_[trace].linked(), traces_[trace].report(), static_cast<uint32_t>(trace));
  });
  return *lazy.with_report;
}

bool QueryTables::PlaceOfSlice(int64_t slice, size_t& trace, uint32_t& row) const {
  for (trace = 0; trace < traces_.size(); ++trace) {
    const auto count = static_cast<int64_t>(traces_[trace].trace->slices.size());
    if (slice >= 0 && slice < count) {
      row = static_cast<uint32_t>(slice);
      return true;
    }
    slice -= count;
  }
  return false;
}

}  // namespace stepscope::query
