#include "present/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "advise/finding.h"
#include "present/advice.h"
#include "present/report_sections.h"
#include "present/table.h"
#include "present/unicode.h"
#include "present/units.h"
#include "present/words.h"

namespace stepscope {
namespace {

// Findings in the report; `advise` shows all.
constexpr size_t kFindings = 3;

std::string SummaryLines(const TextView& view) {
  return LaunchesLine(view) + MemoryLines(view) + CommunicationLine(view);
}

std::string OneInFull(const Reported& reported, const TextOptions& options) {
  const TextView view{reported.trace(), *reported.linked, *reported.report, options, options.style};
  constexpr std::array kBlocks = {
      HeaderSection,    StepSection,  RecordedSection,  DevicesSection,
      BreakdownSection, StepsTable,   PythonSection,    InputSection,
      HloSection,       OpsSection,   KernelsSection,   ModulesSection,
      ShapesSection,    SummaryLines, CollectivesTable, CountersSection,
  };
  std::string out;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    if (!out.empty()) out += '\n';
    out += text;
  };
  for (const auto block : kBlocks) {
    add(block(view));
    // What to change stands right below where the step goes.
    if (block != BreakdownSection || reported.advice == nullptr) continue;
    add(FindingsText(*reported.advice, options.all ? SIZE_MAX : kFindings, options.style));
  }
  return out;
}

std::string_view FileName(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                     : path.substr(slash + 1);
}

bool IsSlower(const Reported& a, const Reported& b) {
  const auto key = [](const Reported& r) {
    return std::pair(r.report->step_statistics.median.value_or(DurationNs{-1}), r.trace().span);
  };
  return key(a) > key(b);
}

// Idle time of the device the verdict is about, in the step it was judged on.
const DeviceStep* JudgedOn(const Report& report) {
  if (report.verdict.step >= report.breakdown.size()) return nullptr;
  for (const DeviceStep& device : report.breakdown[report.verdict.step].devices) {
    if (device.device == report.verdict.device) return &device;
  }
  return nullptr;
}

std::string Overview(std::span<const Reported> reports, const Style& style) {
  const SayIn<kReportTexts> say(style);
  std::set<std::string_view> names;
  for (const Reported& reported : reports) names.insert(FileName(reported.trace().path));
  const bool unique = names.size() == reports.size();
  Table table(say("report.profiles", reports.size()),
              {{"", Align::kLeft, Fit::kShorten},
               {say("report.column.rank"), Align::kRight, Fit::kDrop},
               {say("report.column.steps"), Align::kRight},
               {say("report.column.median-step"), Align::kRight},
               {say("report.column.idle-percent"), Align::kRight},
               {say("report.column.bound-by")},
               {say("report.column.notes"), Align::kRight, Fit::kDrop}});
  for (const Reported& reported : reports) {
    const Trace& trace = reported.trace();
    const std::vector<Step>& steps = reported.linked->steps.items;
    const Report& report = *reported.report;
    const DeviceStep* judged = JudgedOn(report);
    const auto loud = std::count_if(
        report.quality.entries().begin(), report.quality.entries().end(),
        [](const Diagnostics::Entry& e) { return SeverityOf(e.code) != Severity::kInfo; });
    table.AddRow(
        {unique ? FileName(trace.path) : std::string_view(trace.path),
         trace.facts.rank ? fmt::format("{}", *trace.facts.rank) : "", FormatCount(steps.size()),
         report.step_statistics.median ? FormatDuration(*report.step_statistics.median) : "–",
         judged == nullptr ? "–"
                           : FormatPercent(judged->idle.ns, steps[report.verdict.step].duration.ns),
         style.Say(BoundInWords(report.verdict.bound_by)),
         loud == 0 ? "" : say("report.warnings", loud)});
  }
  return table.Render(style);
}

std::string Next(std::span<const Reported> reports, const TextOptions& options) {
  const std::string path = reports.size() == 1 ? reports[0].trace().path : "PATH...";
  const SayIn<kReportTexts> say(options.style);
  return Labelled(options.style, say("report.next"),
                  say("report.next-text", options.all ? "--top 20 " : "--all ", path));
}

}  // namespace

std::string ReportText(const Reported& reported, const TextOptions& options) {
  return OneInFull(reported, options) + '\n' + Next({&reported, 1}, options);
}

std::string ReportsText(std::span<const Reported> reports, const TextOptions& options) {
  if (reports.empty()) return {};
  std::string out;
  const Reported* full = &reports[0];
  if (reports.size() > 1) {
    full = &*std::min_element(reports.begin(), reports.end(), IsSlower);
    out = Overview(reports, options.style) + "\n" +
          SayIn<kReportTexts>(options.style)("report.slowest") + "\n";
  }
  return out + OneInFull(*full, options) + '\n' + Next(reports, options);
}

}  // namespace stepscope
