#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analyze/recorded/gpu_use.h"
#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"
#include "present/words.h"
#include "words/recorded.h"
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
  const SayIn<kRecordedTexts> say(view.style);
  std::string out =
      fmt::format("        {} {}\n", bars, say("recorded.longest", DurationNs{longest}));
  if (marks.find('^') != std::string::npos) {
    out += fmt::format("        {} {}\n", marks, say("recorded.profiled"));
  }
  return out;
}

// Worth explaining when they differ by a tenth.
Message GpuUseInWords(const GpuUse& use) {
  constexpr SayFrom<kRecordedTexts> say;
  constexpr double kMuch = 0.1;
  const Message text = say("recorded.gpu", use.device, use.in_use, use.busy);
  if (use.in_use - use.busy > kMuch) return say("recorded.gpu-more", text);
  return use.busy - use.in_use > kMuch ? say("recorded.gpu-less", text) : text;
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string RecordedSection(const TextView& view) {
  const Recorded& recorded = view.trace.recorded;
  if (!recorded.present) return {};
  const SayIn<kRecordedTexts> say(view.style);
  std::string text = recorded.program.empty() ? say("recorded.program") : recorded.program;
  const auto add = [&](const std::string& part) { text += " · " + part; };
  if (recorded.run) add(FormatDuration(*recorded.run));
  const auto steps = static_cast<int64_t>(recorded.steps.size());
  if (steps > 0 && recorded.step_source.empty()) add(say("recorded.steps", steps));
  if (steps > 0 && !recorded.step_source.empty()) {
    add(say("recorded.steps-by", steps, recorded.step_source));
  }
  if (const auto& median = view.report.step_statistics.unprofiled_median) {
    add(say("recorded.unprofiled", *median));
  }
  if (recorded.hook_cpu && steps > 0) {
    add(say("recorded.cost", DurationNs{recorded.hook_cpu->ns / steps}));
  }
  if (recorded.helpers > 0) {
    add(view.say("recorded.helpers", static_cast<int64_t>(recorded.helpers)));
  }
  for (const GpuUse& use : AnalyzeGpuUse(view.trace, view.report.device_busy)) {
    add(view.style.Say(GpuUseInWords(use)));
  }
  return Labelled(view.style, say("recorded.label"), text) + StepTimes(view);
}

std::string PythonSection(const TextView& view) {
  const std::vector<PythonRow>& rows = view.report.python;
  if (rows.empty()) return {};
  const SayIn<kRecordedTexts> say(view.style);
  Table table(say("recorded.python"), {{"", Align::kLeft, Fit::kShorten},
                                       {say("recorded.line"), Align::kLeft, Fit::kShorten},
                                       {say("recorded.self"), Align::kRight},
                                       {say("recorded.total"), Align::kRight},
                                       {say("recorded.samples"), Align::kRight, Fit::kDrop}});
  for (const PythonRow& row : std::span(rows).first(view.rows(rows.size()))) {
    table.AddRow({row.function, fmt::format("{}:{}", BaseName(row.file), row.line),
                  FormatDuration(row.self), FormatDuration(row.total), FormatCount(row.samples)});
  }
  return table.Render(view.style);
}

}  // namespace stepscope
