#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"
#include "present/words.h"

// Launches, memory, input, communication and counters.
namespace stepscope {
namespace {

std::string OpName(const TextView& view, StringId op) {
  return op == kEmptyString ? view.say("report.outside-ops") : std::string(view.trace.strings[op]);
}

// "your code, buffer empty at 19 of 21 calls"
std::string StageWords(const TextView& view, const InputStage& stage) {
  std::string text = stage.user_written ? view.say("report.your-code") : "";
  if (stage.buffered) {
    if (!text.empty()) text += ", ";
    text += stage.buffer_empty > 0
                ? view.say("report.buffer-empty", stage.buffer_empty, stage.buffer_seen)
                : view.say("report.buffered", *stage.buffered);
  }
  return text;
}

// " · cpu 12 MB, gpu_host_bfc 4 MB": the peak of each.
std::string AllocatorsOf(const Trace& trace, const MemoryRow& row) {
  std::string text;
  for (const MemoryAllocator& allocator : row.allocators) {
    text += fmt::format(
        "{}{} {}", text.empty() ? " · " : ", ", trace.strings[allocator.name],
        FormatBytes(allocator.peak_allocated_bytes.value_or(allocator.peak_of_running_sum_bytes)));
  }
  return text;
}

}  // namespace

std::string LaunchesLine(const TextView& view) {
  const Launches& launches = view.report.launches;
  if (launches.calls == 0) return {};
  std::string text = view.say("report.launches", launches.calls);
  if (launches.median_call)
    text += " · " + view.say("report.call", FormatDuration(*launches.median_call));
  if (launches.median_delay) {
    // If streams seldom run dry, work waits for earlier work, not for its launch.
    constexpr DurationNs kLongQueue{10'000'000};
    const bool queued =
        launches.queue_empty * 10 < launches.pairs && *launches.median_delay >= kLongQueue;
    const std::string delay = FormatDuration(*launches.median_delay);
    text += " · " + (queued ? view.say("report.ahead", delay) : view.say("report.delay", delay));
  }
  text += " · " + view.say("report.dry", FormatPercent(static_cast<int64_t>(launches.queue_empty),
                                                       static_cast<int64_t>(launches.pairs)));
  if (launches.queue_full > 0) {
    text += " · " + view.say("report.queue-full", launches.queue_full);
  }
  return Labelled(view.style, view.say("report.launch"), text);
}

std::string MemoryLines(const TextView& view) {
  std::string out;
  for (const MemoryRow& row : view.report.memory) {
    // Every profile has a few host allocations; beside those of a device they say nothing.
    constexpr int64_t kWorthALine = 1 << 20;
    const int64_t peak = row.peak_allocated_bytes.value_or(row.peak_of_running_sum_bytes);
    const bool alone = view.report.memory.size() == 1;
    if (row.type == DeviceType::kCpu && peak < kWorthALine && !alone && !view.options.all) continue;
    std::string text = DeviceIdOf(row.type, row.device) + " ";
    if (row.peak_allocated_bytes) {
      text += view.say("report.peak-allocated", FormatBytes(*row.peak_allocated_bytes));
    } else {
      text += view.say("report.peak-over", FormatBytes(row.peak_of_running_sum_bytes));
    }
    if (row.peak_reserved_bytes.value_or(0) > 0) {
      text += ", " + view.say("report.reserved", FormatBytes(*row.peak_reserved_bytes));
    }
    for (const Device& device : view.trace.devices) {
      if (device.type == row.type && device.index == row.device && device.memory_bytes) {
        text += " " + view.say("report.of-capacity", FormatBytes(*device.memory_bytes));
      }
    }
    if (row.growth_bytes_per_step && *row.growth_bytes_per_step > 0) {
      text += " · " + view.say("report.grows", FormatBytes(*row.growth_bytes_per_step));
    }
    if (row.allocators.size() > 1) text += AllocatorsOf(view.trace, row);
    const size_t shown = std::min<size_t>(row.top_ops.size(), view.options.all ? 10 : 3);
    std::string ops;
    for (const auto& top : std::span(row.top_ops).first(shown)) {
      ops += fmt::format("{}{} {}", ops.empty() ? "" : ", ", OpName(view, top.op),
                         FormatBytes(top.bytes));
    }
    if (shown > 0) text += " · " + view.say("report.at-peak", ops);
    out += Labelled(view.style, out.empty() ? view.say("report.memory") : "", text);
  }
  return out;
}

std::string InputSection(const TextView& view) {
  const Input& input = view.report.input;
  std::string out;
  const bool waits =
      std::any_of(input.wait.begin(), input.wait.end(), [](DurationNs d) { return d.ns > 0; });
  if (waits) {
    const DurationNs most = *std::max_element(input.wait.begin(), input.wait.end());
    const TimeUnit unit = UnitFor(most);
    const size_t shown =
        view.options.all ? input.wait.size() : std::min<size_t>(input.wait.size(), 8);
    std::string text = view.say("report.waited");
    for (size_t i = 0; i < shown; ++i) text += ' ' + FormatIn(unit, input.wait[i], most);
    text += fmt::format("{} {}", shown < input.wait.size() ? " …" : "", NameOf(unit));
    if (input.stages.size() == 1) text += " " + view.say("report.in-stage", input.stages[0].name);
    out = Labelled(view.style, view.say("report.input"), text);
  }
  if (input.stages.size() > 1 || (!waits && !input.stages.empty())) {
    const size_t shown = view.rows(input.stages.size());
    Table table(view.say("report.stages"), {{"", Align::kLeft, Fit::kShorten},
                                            {view.say("report.column.blocked"), Align::kRight},
                                            {view.say("report.column.self"), Align::kRight},
                                            {view.say("report.column.calls"), Align::kRight},
                                            {"", Align::kLeft, Fit::kDrop}});
    for (const InputStage& stage : std::span(input.stages).first(shown)) {
      table.AddRow({stage.path.empty() ? stage.name : stage.path,
                    stage.total.ns > 0 ? FormatDuration(stage.blocking) : "",
                    FormatDuration(stage.self), FormatCount(stage.calls), StageWords(view, stage)});
    }
    out += table.Render(view.style);
  }
  return out;
}

std::string CommunicationLine(const TextView& view) {
  if (!view.report.communication) return {};
  const Communication& communication = *view.report.communication;
  return Labelled(view.style, view.say("report.comms"),
                  view.say("report.comms-text", FormatDuration(communication.union_time),
                           FormatDuration(communication.overlap_with_kernels),
                           FormatDuration(communication.exposed_vs_kernels)));
}

std::string CollectivesTable(const TextView& view) {
  if (!view.report.communication || view.report.communication->by_collective.empty()) return {};
  const std::vector<CollectiveRow>& rows = view.report.communication->by_collective;
  Table table(view.say("report.collectives"), {{"", Align::kLeft, Fit::kShorten},
                                               {view.say("report.column.time"), Align::kRight},
                                               {view.say("report.column.calls"), Align::kRight},
                                               {view.say("report.column.bytes"), Align::kRight}});
  for (const CollectiveRow& row : std::span(rows).first(view.rows(rows.size()))) {
    table.AddRow({row.name, FormatDuration(row.total), FormatCount(row.calls),
                  row.bytes ? FormatBytes(*row.bytes) : "–"});
  }
  return table.Render(view.style);
}

std::string CountersSection(const TextView& view) {
  if (!view.options.all || view.report.counters.empty()) return {};
  Table table(view.say("report.counters"),
              {{"", Align::kLeft, Fit::kShorten},
               {view.say("report.column.samples"), Align::kRight},
               {view.say("report.column.min"), Align::kRight},
               {view.say("report.column.mean"), Align::kRight},
               {view.say("report.column.max"), Align::kRight},
               {view.say("report.column.last"), Align::kRight, Fit::kDrop}});
  for (const CounterRow& row : view.report.counters) {
    const std::string_view series = view.trace.strings[row.series];
    table.AddRow(
        {fmt::format("{}{}{}", view.trace.strings[row.name], series.empty() ? "" : " · ", series),
         FormatCount(row.samples), fmt::format("{:.4g}", row.min), fmt::format("{:.4g}", row.mean),
         fmt::format("{:.4g}", row.max), fmt::format("{:.4g}", row.last)});
  }
  return table.Render(view.style);
}

}  // namespace stepscope
