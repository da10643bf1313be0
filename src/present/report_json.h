#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/finding.h"
#include "analyze/report.h"
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
void WriteReportsJson(std::span<const Reported> reports, Language language, std::string& out);
inline void WriteReportsJson(std::span<const Reported> reports, std::string& out) {
  WriteReportsJson(reports, Language::kEnglish, out);
}

// The parts of it, for verbs that print some of them.
void WriteProfilePart(const Trace& trace, JsonWriter& json);
void WriteQualityPart(const Diagnostics& quality, JsonWriter& json);
void WriteStepsPart(const Trace& trace, const Report& report, JsonWriter& json);
void WriteTableParts(const Trace& trace, const Report& report, JsonWriter& json);

// "[[64,1024],[]]": nested lists of whole numbers, so that the text can stand in JSON as it is.
bool IsShapeList(std::string_view text);

}  // namespace stepscope
