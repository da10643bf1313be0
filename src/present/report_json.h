#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/report_tables.h"
#include "present/json_writer.h"
#include "study/reported.h"

namespace stepscope {

struct JobsReport;

// `report --json`: one report as stepscope.report/1, several as stepscope.reports/1
// (docs/report-json.md), with the key `ranks` where they are ranks of a job. Appends; ends in a
// line end.
void WriteReportsJson(std::span<const Reported> reports, const JobsReport* jobs, Language language,
                      std::string& out);
inline void WriteReportsJson(std::span<const Reported> reports, std::string& out) {
  WriteReportsJson(reports, nullptr, Language::kEnglish, out);
}

// The parts of it, for verbs that print some of them.
void WriteProfilePart(const Trace& trace, JsonWriter& json);
void WriteQualityPart(const Diagnostics& quality, JsonWriter& json);
void WriteStepsPart(const LinkedTrace& linked, const Report& report, JsonWriter& json);
void WriteTableParts(const LinkedTrace& linked, const Report& report, JsonWriter& json);
void WriteRecordedParts(const LinkedTrace& linked, const Report& report, JsonWriter& json);
void WriteTable(std::string_view key, const tables::ReportTable& table, const LinkedTrace& linked,
                const Report& report, JsonWriter& json);
tables::TableRows QualityRows(const Diagnostics& quality);

}  // namespace stepscope
