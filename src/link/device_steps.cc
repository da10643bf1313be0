#include <algorithm>
#include <map>
#include <string_view>

#include "link/host_steps.h"
#include "link/lanes.h"

namespace stepscope {
namespace {

// Rows of a device's line by its name, in order of start; empty when the device has no such line.
std::vector<std::vector<uint32_t>> LinesCalled(const Trace& trace, std::string_view name) {
  std::vector<std::vector<uint32_t>> lines;
  for (const LaneGroup group : LaneGroupsOf(trace)) {
    if (trace.strings[trace.tracks[group.first].name] != name) continue;
    std::vector<uint32_t> rows;
    for (uint32_t t = group.first; t < group.last; ++t) {
      const RowRange range = trace.tracks[t].slices;
      for (uint32_t row = range.first; row < range.last; ++row) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
      return std::pair(trace.slices.start[a], a) < std::pair(trace.slices.start[b], b);
    });
    if (!rows.empty()) lines.push_back(std::move(rows));
  }
  return lines;
}

// Devices see one step at different times: the step lasts from the first start to the last end.
HostSteps FromStepLines(const Trace& trace) {
  HostSteps found;
  std::map<std::pair<std::string_view, size_t>, size_t> by_name;
  for (const std::vector<uint32_t>& rows : LinesCalled(trace, "Steps")) {
    std::map<std::string_view, size_t> seen;  // a line may have several steps of one name
    for (const uint32_t row : rows) {
      const std::string_view name = trace.Name(row);
      const auto [at, is_new] =
          by_name.try_emplace(std::pair(name, seen[name]++), found.steps.size());
      if (is_new) {
        found.steps.push_back({std::string(name), static_cast<int64_t>(found.steps.size()),
                               SliceId{row}, trace.slices.start[row], trace.slices.end(row)});
      }
      HostStep& step = found.steps[at->second];
      step.start = std::min(step.start, trace.slices.start[row]);
      step.end = std::max(step.end, trace.slices.end(row));
    }
  }
  std::stable_sort(found.steps.begin(), found.steps.end(),
                   [](const HostStep& a, const HostStep& b) { return a.start < b.start; });
  for (size_t i = 0; i < found.steps.size(); ++i) {
    HostStep& step = found.steps[i];
    step.number = NumberOfName(step.name).value_or(static_cast<int64_t>(i));
    if (i > 0) found.steps[i - 1].end = std::min(found.steps[i - 1].end, step.start);
  }
  if (!found.steps.empty() && trace.facts.format == Format::kRunMetadata) {
    found.source = StepSource::kSessionRun;
    found.source_name = "session.run";
  } else if (!found.steps.empty()) {
    found.source = StepSource::kDeviceSteps;
    found.source_name = "device steps";
  }
  return found;
}

// Runs of the XLA module that the first device spends most of its time in.
HostSteps FromModules(const Trace& trace) {
  constexpr size_t kFewest = 3;
  const auto lines = LinesCalled(trace, "XLA Modules");
  if (lines.empty()) return {};
  std::map<StringId, DurationNs> time;
  DurationNs all;
  for (const uint32_t row : lines.front()) {
    time[trace.slices.name[row]] += trace.slices.duration[row];
    all += trace.slices.duration[row];
  }
  const auto most = std::max_element(
      time.begin(), time.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most->second.ns * 2 < all.ns) return {};
  HostSteps found;
  for (const uint32_t row : lines.front()) {
    if (trace.slices.name[row] != most->first) continue;
    const auto number = static_cast<int64_t>(found.steps.size());
    found.steps.push_back({std::string(trace.Name(row)), number, SliceId{row},
                           trace.slices.start[row], trace.slices.end(row)});
  }
  if (found.steps.size() < kFewest) return {};
  found.source = StepSource::kDeviceSteps;
  found.source_name = "device steps";
  return found;
}

}  // namespace

HostSteps FindDeviceSteps(const Trace& trace) {
  HostSteps found = FromStepLines(trace);
  return found.steps.empty() ? FromModules(trace) : found;
}

}  // namespace stepscope
