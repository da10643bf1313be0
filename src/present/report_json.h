#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/finding.h"
#include "analyze/report.h"
#include "analyze/report_tables.h"
#include "present/json_writer.h"
#include "trace/trace.h"

namespace stepscope {

// A trace and what was worked out from it: what text, JSON and CSV show. Borrows both.
struct Reported {
  const Trace* trace;
  const Report* report;
  const Advice* advice = nullptr;  // none: findings are left empty and no rule counts as checked
};

// `report --json`: one report as stepscope.report/1, several as stepscope.reports/1
// (docs/report-json.md). Appends; ends in a line end.
void WriteReportsJson(std::span<const Reported> reports, std::string& out);

// The parts of it, for verbs that print some of them.
void WriteProfilePart(const Trace& trace, JsonWriter& json);
void WriteQualityPart(const Diagnostics& quality, JsonWriter& json);
void WriteStepsPart(const Trace& trace, const Report& report, JsonWriter& json);
void WriteTableParts(const Trace& trace, const Report& report, JsonWriter& json);
void WriteTable(std::string_view key, const tables::ReportTable& table, const Trace& trace,
                const Report& report, JsonWriter& json);
tables::TableRows QualityRows(const Diagnostics& quality);

}  // namespace stepscope
