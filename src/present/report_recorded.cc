#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"
#include "present/words.h"
#include "words/report.h"

// What `stepscope record` adds: the run around the profile, and the lines of Python.
namespace stepscope {
namespace {

constexpr size_t kBins = 60;

struct Bin {
  int64_t longest = 0;
  bool profiled = false;
};

std::vector<Bin> BinsOf(const std::vector<RecordedStep>& steps) {
  std::vector<Bin> bins(std::min(kBins, steps.size()));
  for (size_t i = 0; i < steps.size(); ++i) {
    Bin& bin = bins[i * bins.size() / steps.size()];
    bin.longest = std::max(bin.longest, steps[i].duration.ns);
    bin.profiled |= steps[i].profiled;
  }
  return bins;
}

// Step times over the whole run as a row of bars, the profiler's window marked below.
std::string StepTimes(const TextView& view) {
  const std::vector<RecordedStep>& steps = view.trace.recorded.steps;
  constexpr size_t kFew = 8;
  if (steps.size() < kFew) return {};
  constexpr std::array<std::string_view, 8> kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::string_view kPlainBars = "._-~=+*#";
  const std::vector<Bin> bins = BinsOf(steps);
  const auto longest = std::max_element(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) {
                         return a.longest < b.longest;
                       })->longest;
  std::string bars, marks;
  for (const Bin& bin : bins) {
    const auto level = static_cast<size_t>(longest == 0 ? 0 : 7 * bin.longest / longest);
    bars += view.style.ascii ? kPlainBars.substr(level, 1) : kBars[level];
    marks += bin.profiled ? '^' : ' ';
  }
  std::string out =
      fmt::format("        {} {} the longest\n", bars, FormatDuration(DurationNs{longest}));
  if (marks.find('^') != std::string::npos) {
    out += fmt::format("        {} profiled\n", marks);
  }
  return out;
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string RecordedSection(const TextView& view) {
  const Recorded& recorded = view.trace.recorded;
  if (!recorded.present) return {};
  std::string text = recorded.program.empty() ? "a program" : recorded.program;
  if (recorded.run) text += fmt::format(" · {}", FormatDuration(*recorded.run));
  const StepStatistics& statistics = view.report.step_statistics;
  if (!recorded.steps.empty()) {
    text += fmt::format(" · {} timed", Plural(recorded.steps.size(), "step", "steps"));
    if (!recorded.step_source.empty()) text += fmt::format(" (by {})", recorded.step_source);
  }
  if (statistics.unprofiled_median) {
    text += fmt::format(" · {} median without the profiler",
                        FormatDuration(*statistics.unprofiled_median));
  }
  if (recorded.hook_cpu && !recorded.steps.empty()) {
    const auto steps = static_cast<int64_t>(recorded.steps.size());
    text += fmt::format(" · timing them costs {} a step",
                        FormatDuration(DurationNs{recorded.hook_cpu->ns / steps}));
  }
  if (recorded.helpers > 0) {
    const SayIn<kReportTexts> say(view.style);
    text += " · " + say("recorded.helpers", static_cast<int64_t>(recorded.helpers));
  }
  return Labelled(view.style, "Run", text) + StepTimes(view);
}

std::string PythonSection(const TextView& view) {
  const std::vector<PythonRow>& rows = view.report.python;
  if (rows.empty()) return {};
  Table table("Python lines (sampled over the whole run)",
              {{"", Align::kLeft, Fit::kShorten},
               {"line", Align::kLeft, Fit::kShorten},
               {"self", Align::kRight},
               {"total", Align::kRight},
               {"samples", Align::kRight, Fit::kDrop}});
  for (const PythonRow& row : std::span(rows).first(view.rows(rows.size()))) {
    table.AddRow({row.function, fmt::format("{}:{}", BaseName(row.file), row.line),
                  FormatDuration(row.self), FormatDuration(row.total), FormatCount(row.samples)});
  }
  return table.Render(view.style);
}

}  // namespace stepscope
