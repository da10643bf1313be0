#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/raw/trace_rows.h"
#include "base/result.h"
#include "query/names.h"
#include "query/sql_table.h"

namespace stepscope {
class Study;
struct Advice;
}  // namespace stepscope

namespace stepscope::query {

// Where the tables get what they show of one trace; each is asked for when a table first needs it.
struct TraceAccess {
  const Trace* trace = nullptr;
  std::function<const LinkedTrace&()> linked;
  std::function<const Report&()> report;
  std::function<const Advice*()> advice;                     // may give null
  std::function<Result<std::string>(uint32_t event)> event;  // an event of the file as JSON
  const ExecutionRows* execution = nullptr;
};

// All tables that SQL sees, over all traces of a study. What a table shows is worked out when a
// query first reads it. Outlives its connections; safe for several threads.
class QueryTables {
 public:
  explicit QueryTables(std::vector<TraceAccess> traces);
  // The study has to stay.
  explicit QueryTables(Study& study);
  QueryTables(const QueryTables&) = delete;
  QueryTables& operator=(const QueryTables&) = delete;

  // Every table that there is, whatever was opened.
  struct Facts {
    std::string name;
    tables::Words meaning;
    tables::Columns columns;
  };
  static std::vector<Facts> All();

  std::span<const std::unique_ptr<SqlTable>> tables() const { return tables_; }
  const SqlTable* Find(std::string_view name) const;
  size_t traces() const { return traces_.size(); }
  const TraceAccess& trace(size_t trace) const { return traces_[trace]; }
  const Names& names() const { return names_; }

  // The trace of a slice and its row there; false where there is no such slice.
  bool PlaceOfSlice(int64_t slice, size_t& trace, uint32_t& row) const;
  // What the raw tables of a trace read; with what the report knows of steps and idle time, too.
  const tables::TraceRows& RowsOf(size_t trace) const;
  const tables::TraceRows& RowsWithReport(size_t trace) const;

 private:
  void AddRawTables();
  void AddReportTables();
  void AddFindings();

  const std::vector<TraceAccess> traces_;
  const Names names_;
  struct LazyRows {
    std::once_flag once, report_once;
    std::unique_ptr<const tables::TraceRows> rows, with_report;
  };
  std::vector<std::unique_ptr<LazyRows>> rows_;
  std::vector<std::unique_ptr<SqlTable>> tables_;
};

}  // namespace stepscope::query
