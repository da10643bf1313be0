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

void AddCauses(const Report& report, int32_t device, std::vector<NamedCause> causes,
               std::vector<Part>& parts) {
  std::stable_sort(causes.begin(), causes.end(),
                   [](const NamedCause& a, const NamedCause& b) { return a.time > b.time; });
  for (const NamedCause& cause : causes) {
    if (cause.time.ns == 0) continue;
    parts.push_back({fmt::format("  {}", CauseInWords(cause.cause)), cause.time, Color::kYellow,
                     ExampleOf(report, device, cause.cause)});
  }
}

std::vector<Part> PartsOf(const Report& report, const DeviceStep& step) {
  std::vector<Part> parts = {
      {"compute", step.compute, Color::kGreen, {}, true},
      {"communication, exposed", step.exposed_communication, Color::kMagenta, {}},
      {"copies, exposed", step.exposed_copy, Color::kBlue, {}},
      {"memset, exposed", step.exposed_memset, Color::kBlue, {}},
      {"idle", step.idle, Color::kRed, {}, true},
  };
  std::vector<NamedCause> causes;
  for (size_t cause = 0; cause < kCauses; ++cause) {
    causes.push_back({static_cast<Cause>(cause), step.idle_causes[cause]});
  }
  AddCauses(report, step.device, std::move(causes), parts);
  return parts;
}

std::vector<Part> PartsOf(const Report& report, const DeviceTimeline& timeline) {
  const TimelineTotals& totals = timeline.all;
  std::vector<Part> parts = {
      {"compute", totals.compute, Color::kGreen, {}, true},
      {"communication, exposed", totals.exposed_communication, Color::kMagenta, {}},
      {"copies, exposed", totals.exposed_copy, Color::kBlue, {}},
      {"idle", totals.idle, Color::kRed, {}, true},
  };
  std::vector<NamedCause> causes;
  for (const IdleCause& row : report.idle_causes) {
    if (row.device == timeline.device) causes.push_back({row.cause, row.total});
  }
  AddCauses(report, timeline.device, std::move(causes), parts);
  return parts;
}

std::vector<Part> PartsOf(const PriorityPartition& priority) {
  return {{"operators", priority.cpu_exec, Color::kGreen, {}},
          {"DataLoader", priority.dataloader, Color::kYellow, {}},
          {"communication", priority.communication, Color::kMagenta, {}},
          {"runtime calls", priority.runtime, Color::kBlue, {}},
          {"other", priority.other, Color::kDim, {}}};
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
    out += Render(view,
                  fmt::format("Where the time goes ({})", DeviceIdAt(view.trace, timeline.device)),
                  PartsOf(view.report, timeline), timeline.all.total);
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
    out +=
        Render(view, fmt::format("Where a step goes ({})", DeviceIdAt(view.trace, device.device)),
               PartsOf(report, device), whole);
  }
  if (out.empty() && breakdown.priority) {
    out = Render(view, "Where a step goes (host)", PartsOf(*breakdown.priority), whole);
  }
  return out;
}

std::string DevicesSection(const TextView& view) {
  const Report& report = view.report;
  const uint32_t step = report.verdict.step;
  if (step >= report.breakdown.size() || report.breakdown[step].devices.size() < 2) return {};
  const DurationNs whole = view.linked.steps.items[step].duration;
  Table table("Devices, % of the median step", {{"", Align::kLeft, Fit::kShorten},
                                                {"compute", Align::kRight},
                                                {"communication", Align::kRight, Fit::kDrop},
                                                {"copies", Align::kRight, Fit::kDrop},
                                                {"idle", Align::kRight},
                                                {"busy", Align::kLeft, Fit::kBar}});
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
  Table table("Steps", {{"", Align::kLeft, Fit::kShorten},
                        {std::string(NameOf(unit)), Align::kRight},
                        {"compute %", Align::kRight},
                        {"idle %", Align::kRight},
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
                                  : Cell(fmt::format("left out: {}", InWords(steps[i].why_unused)),
                                         Color::kDim)});
  }
  return table.Render(view.style);
}

}  // namespace stepscope
