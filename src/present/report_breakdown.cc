#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"
#include "present/words.h"

// Where a step goes, per device, and why the device idles.
namespace stepscope {
namespace {

struct Part {
  std::string name;
  DurationNs time;
  Color color;
  std::string evidence;
  bool always = false;  // shown even when it is 0
};

// The most telling example of a cause on a device.
std::string ExampleOf(const Report& report, int32_t device, Cause cause) {
  for (const IdleCause& row : report.idle_causes) {
    if (row.device == device && row.cause == cause) return row.example;
  }
  return {};
}

struct NamedCause {
  Cause cause;
  DurationNs time;
};

void AddCauses(const TextView& view, int32_t device, std::vector<NamedCause> causes,
               std::vector<Part>& parts) {
  std::stable_sort(causes.begin(), causes.end(),
                   [](const NamedCause& a, const NamedCause& b) { return a.time > b.time; });
  for (const NamedCause& cause : causes) {
    if (cause.time.ns == 0) continue;
    parts.push_back({"  " + view.style.Say(CauseInWords(cause.cause, view.linked.steps)),
                     cause.time, Color::kYellow, ExampleOf(view.report, device, cause.cause)});
  }
}

std::vector<Part> PartsOf(const TextView& view, const DeviceStep& step) {
  std::vector<Part> parts = {
      {view.say("report.part.compute"), step.compute, Color::kGreen, {}, true},
      {view.say("report.part.communication-exposed"),
       step.exposed_communication,
       Color::kMagenta,
       {}},
      {view.say("report.part.copies-exposed"), step.exposed_copy, Color::kBlue, {}},
      {view.say("report.part.memset-exposed"), step.exposed_memset, Color::kBlue, {}},
      {view.say("report.part.idle"), step.idle, Color::kRed, {}, true},
  };
  std::vector<NamedCause> causes;
  for (size_t cause = 0; cause < kCauses; ++cause) {
    causes.push_back({static_cast<Cause>(cause), step.idle_causes[cause]});
  }
  AddCauses(view, step.device, std::move(causes), parts);
  return parts;
}

std::vector<Part> PartsOf(const TextView& view, const DeviceTimeline& timeline) {
  const TimelineTotals& totals = timeline.all;
  std::vector<Part> parts = {
      {view.say("report.part.compute"), totals.compute, Color::kGreen, {}, true},
      {view.say("report.part.communication-exposed"),
       totals.exposed_communication,
       Color::kMagenta,
       {}},
      {view.say("report.part.copies-exposed"), totals.exposed_copy, Color::kBlue, {}},
      {view.say("report.part.idle"), totals.idle, Color::kRed, {}, true},
  };
  std::vector<NamedCause> causes;
  for (const IdleCause& row : view.report.idle_causes) {
    if (row.device == timeline.device) causes.push_back({row.cause, row.total});
  }
  AddCauses(view, timeline.device, std::move(causes), parts);
  return parts;
}

std::vector<Part> PartsOf(const TextView& view, const PriorityPartition& priority) {
  return {{view.say("report.part.operators"), priority.cpu_exec, Color::kGreen, {}},
          {view.say("report.part.dataloader"), priority.dataloader, Color::kYellow, {}},
          {view.say("report.part.communication"), priority.communication, Color::kMagenta, {}},
          {view.say("report.part.runtime"), priority.runtime, Color::kBlue, {}},
          {view.say("report.part.other"), priority.other, Color::kDim, {}}};
}

std::string Render(const TextView& view, std::string heading, const std::vector<Part>& parts,
                   DurationNs whole) {
  const TimeUnit unit = UnitFor(whole);
  Table table(std::move(heading), {{""},
                                   {std::string(NameOf(unit)), Align::kRight},
                                   {"%", Align::kRight},
                                   {"", Align::kLeft, Fit::kBar},
                                   {"", Align::kLeft, Fit::kShorten}});
  table.set_min_first_width(27);
  for (const Part& part : parts) {
    const bool tiny = part.time.ns < whole.ns / 2000;  // would show as 0.0 %
    if (!part.always && (part.time.ns == 0 || (tiny && !view.options.all))) continue;
    const double share =
        whole.ns == 0 ? 0 : static_cast<double>(part.time.ns) / static_cast<double>(whole.ns);
    table.AddRow({part.name, FormatIn(unit, part.time, whole),
                  FormatPercent(part.time.ns, whole.ns), Cell::Bar(share, part.color),
                  Cell(part.evidence, Color::kDim)});
  }
  return table.empty() ? std::string() : table.Render(view.style);
}

// The devices to show in full: the one the verdict is about, or all.
bool IsShown(const TextView& view, int32_t device, size_t devices) {
  return view.options.all || devices == 1 || view.report.verdict.device < 0 ||
         device == view.report.verdict.device;
}

std::string WholeProfile(const TextView& view) {
  std::string out;
  for (const DeviceTimeline& timeline : view.report.device_timeline) {
    if (!IsShown(view, timeline.device, view.report.device_timeline.size())) continue;
    if (!out.empty()) out += '\n';
    out += Render(view, view.say("report.where-time", DeviceIdAt(view.trace, timeline.device)),
                  PartsOf(view, timeline), timeline.all.total);
  }
  return out;
}

}  // namespace

std::string BreakdownSection(const TextView& view) {
  const Report& report = view.report;
  const uint32_t step = report.verdict.step;
  if (step >= report.breakdown.size()) return WholeProfile(view);
  const StepBreakdown& breakdown = report.breakdown[step];
  const DurationNs whole = view.linked.steps.items[step].duration;
  std::string out;
  for (const DeviceStep& device : breakdown.devices) {
    if (!IsShown(view, device.device, breakdown.devices.size())) continue;
    if (!out.empty()) out += '\n';
    out += Render(view, view.say("report.where-step", DeviceIdAt(view.trace, device.device)),
                  PartsOf(view, device), whole);
  }
  if (out.empty() && breakdown.priority) {
    out = Render(view, view.say("report.where-host"), PartsOf(view, *breakdown.priority), whole);
  }
  return out;
}

std::string DevicesSection(const TextView& view) {
  const Report& report = view.report;
  const uint32_t step = report.verdict.step;
  if (step >= report.breakdown.size() || report.breakdown[step].devices.size() < 2) return {};
  const DurationNs whole = view.linked.steps.items[step].duration;
  Table table(view.say("report.devices"),
              {{"", Align::kLeft, Fit::kShorten},
               {view.say("report.part.compute"), Align::kRight},
               {view.say("report.part.communication"), Align::kRight, Fit::kDrop},
               {view.say("report.part.copies"), Align::kRight, Fit::kDrop},
               {view.say("report.part.idle"), Align::kRight},
               {view.say("report.part.busy"), Align::kLeft, Fit::kBar}});
  for (const DeviceStep& device : report.breakdown[step].devices) {
    const auto percent = [&](DurationNs part) { return FormatPercent(part.ns, whole.ns); };
    const double busy =
        whole.ns == 0 ? 0 : static_cast<double>(device.busy.ns) / static_cast<double>(whole.ns);
    table.AddRow({DeviceIdAt(view.trace, device.device), percent(device.compute),
                  percent(device.exposed_communication), percent(device.exposed_copy),
                  percent(device.idle), Cell::Bar(busy, Color::kGreen)});
  }
  return table.Render(view.style);
}

std::string StepsTable(const TextView& view) {
  if (!view.options.all || view.linked.steps.items.empty()) return {};
  const std::vector<Step>& steps = view.linked.steps.items;
  DurationNs longest;
  for (const Step& step : steps) longest = std::max(longest, step.duration);
  const TimeUnit unit = UnitFor(longest);
  Table table(view.say("report.steps"), {{"", Align::kLeft, Fit::kShorten},
                                         {std::string(NameOf(unit)), Align::kRight},
                                         {view.say("report.column.compute-percent"), Align::kRight},
                                         {view.say("report.column.idle-percent"), Align::kRight},
                                         {"", Align::kLeft, Fit::kBar},
                                         {"", Align::kLeft, Fit::kDrop}});
  for (size_t i = 0; i < steps.size(); ++i) {
    const DeviceStep* device = nullptr;
    if (i < view.report.breakdown.size()) {
      for (const DeviceStep& d : view.report.breakdown[i].devices) {
        if (device == nullptr || d.device == view.report.verdict.device) device = &d;
      }
    }
    const auto percent = [&](DurationNs part) {
      return device == nullptr ? "–" : FormatPercent(part.ns, steps[i].duration.ns);
    };
    table.AddRow({steps[i].name, FormatIn(unit, steps[i].duration, longest),
                  percent(device == nullptr ? DurationNs{} : device->compute),
                  percent(device == nullptr ? DurationNs{} : device->idle),
                  Cell::Bar(static_cast<double>(steps[i].duration.ns) /
                                static_cast<double>(std::max<int64_t>(longest.ns, 1)),
                            steps[i].used() ? Color::kCyan : Color::kDim),
                  steps[i].used() ? Cell()
                                  : Cell(view.say("report.left-out", InWords(steps[i].why_unused)),
                                         Color::kDim)});
  }
  return table.Render(view.style);
}

}  // namespace stepscope
