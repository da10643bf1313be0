#include <fmt/format.h>

#include <algorithm>

#include "present/ranks.h"
#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"
#include "words/ranks.h"

namespace stepscope {
namespace {

using Say = SayIn<kRanksTexts>;

std::string ClocksWords(const Job& job, const Say& say) {
  const Clocks& clocks = job.clocks;
  if (clocks.marks == 0) return say("ranks.clocks.none");
  int64_t error = 0, loose = 0;
  for (const RankClock& clock : clocks.ranks) {
    error = std::max(error, clock.error_ns);
    loose += clock.aligned ? 0 : 1;
  }
  std::string words = clocks.shared ? say("ranks.clocks.shared", clocks.marks)
                      : clocks.small_marks
                          ? say("ranks.clocks.small", clocks.marks, DurationNs{error})
                          : say("ranks.clocks.large", clocks.marks, DurationNs{error});
  if (loose > 0) words += " · " + say("ranks.clocks.some", loose);
  if (clocks.violations > 0) words += " · " + say("ranks.clocks.order", clocks.violations);
  return words;
}

std::string JobLine(const Job& job, const Style& style, const Say& say) {
  std::string text = job.name.empty() ? std::string() : style.Clean(job.name) + " · ";
  text += say("ranks.present", job.ranks.size(), job.world_size);
  text += " · " + ClocksWords(job, say);
  if (job.step.ns > 0) {
    const auto [least, most] = std::ranges::minmax(job.ranks, {}, &JobRank::step);
    text += " · " + say("ranks.step", job.step, FormatRange(least.step, most.step));
  }
  return Labelled(style, say("ranks.job"), text);
}

std::string StragglerLines(const Job& job, const Style& style, const Say& say) {
  constexpr SayFrom<kRanksTexts> message;
  Messages text;
  if (!job.straggler) {
    text += job.lateness.steps.empty() ? message("ranks.straggler.unknown")
            : job.collectives.empty()  ? message("ranks.straggler.no-calls")
                                       : message("ranks.straggler.none");
  } else {
    const Straggler& straggler = *job.straggler;
    text += straggler.sentence;
    if (straggler.consistent) {
      const DurationNs own = job.ranks[straggler.position].own;
      text += message("ranks.straggler.numbers", own, own - straggler.excess, straggler.last_share,
                      job.judged_calls);
      text += message("ranks.straggler.gain", straggler.gain_lo, straggler.gain_hi);
    }
  }
  const auto present = static_cast<int64_t>(job.ranks.size());
  if (present < job.world_size) text += message("ranks.missing", job.world_size - present);
  std::string damaged;
  for (const JobRank& rank : job.ranks) {
    if (!rank.counts) damaged += fmt::format("{}{}", damaged.empty() ? "" : ", ", rank.rank);
  }
  if (!damaged.empty()) text += message("ranks.damaged", damaged);
  std::string out = Labelled(style, say("ranks.straggler"), style.Say(text));
  for (size_t i = 0; i < std::min<size_t>(job.slow_steps.size(), 3); ++i) {
    const SlowStep& slow = job.slow_steps[i];
    out += Labelled(style, "", say("ranks.slow-step", slow.step, slow.rank, slow.excess));
  }
  return out;
}

std::string ExposedLine(const Job& job, const Style& style, const Say& say) {
  DurationNs transfer{}, wait{};
  for (const JobRank& rank : job.ranks) {
    transfer += rank.exposed_transfer;
    wait += rank.exposed_wait;
  }
  const auto ranks = static_cast<int64_t>(job.ranks.size());
  if (job.collectives.empty()) return {};
  return Labelled(
      style, say("ranks.comm"),
      say("ranks.comm.text", DurationNs{transfer.ns / ranks}, DurationNs{wait.ns / ranks}));
}

std::string CostWords(CostKind cost, const Say& say) {
  switch (cost) {
    case CostKind::kTransfer:
      return say("ranks.cost.transfer");
    case CostKind::kArrivalSkew:
      return say("ranks.cost.arrival_skew");
    case CostKind::kMixed:
      return say("ranks.cost.mixed");
    case CostKind::kCannotTell:
      break;
  }
  return say("ranks.cost.cannot_tell");
}

std::string CollectiveName(const Job& job, const JobCollective& row) {
  std::string name(NameOf(row.type));
  if (!row.dtype.empty()) name += ' ' + row.dtype;
  if (row.channel >= 0) name += fmt::format(" channel {}", row.channel);
  if (!row.instruction.empty()) name += ' ' + row.instruction;
  const RankGroup& group = job.groups[row.group].facts;
  const std::string& called = group.description.empty() ? group.name : group.description;
  if (job.groups.size() > 1 && !called.empty()) name += fmt::format(" ({})", called);
  return name;
}

std::string CollectivesTable(const Job& job, const RanksTextOptions& options, const Say& say) {
  if (job.collectives.empty()) return {};
  const bool peaks = std::ranges::any_of(
      job.collectives, [](const JobCollective& row) { return row.peak.has_value(); });
  std::vector<Column> columns = {{"", Align::kLeft, Fit::kShorten},
                                 {say("ranks.column.calls"), Align::kRight},
                                 {say("ranks.column.bytes"), Align::kRight, Fit::kDrop},
                                 {say("ranks.column.transfer"), Align::kRight},
                                 {say("ranks.column.bus"), Align::kRight},
                                 {peaks ? say("ranks.column.peak") : "", Align::kRight, Fit::kDrop},
                                 {say("ranks.column.wait"), Align::kRight},
                                 {say("ranks.column.skew"), Align::kRight, Fit::kDrop},
                                 {say("ranks.column.cost"), Align::kLeft, Fit::kShorten}};
  Table table(say("ranks.collectives"), std::move(columns));
  const size_t shown =
      options.all ? job.collectives.size() : std::min(options.top, job.collectives.size());
  for (const JobCollective& row : std::span(job.collectives).first(shown)) {
    table.AddRow({CollectiveName(job, row), FormatCount(row.calls),
                  row.bytes < 0 ? "–" : FormatBytes(row.bytes),
                  row.transfer ? FormatDuration(row.transfer->median) : "–",
                  row.bus_bandwidth ? fmt::format("{:.4g}", *row.bus_bandwidth / 1e9) : "–",
                  row.peak ? fmt::format("{:.0f} %", 100 * *row.bus_bandwidth / *row.peak) : "",
                  FormatDuration(row.wait.median), FormatDuration(row.skew.median),
                  CostWords(row.cost, say)});
  }
  return table.Render(options.style);
}

// The ranks to show: all, or the pace-setting one and those at both ends.
std::vector<size_t> ShownRanks(const Job& job, const RanksTextOptions& options) {
  std::vector<size_t> order(job.ranks.size());
  for (size_t p = 0; p < order.size(); ++p) order[p] = p;
  const size_t most = std::max<size_t>(options.top, 2);
  if (options.all || order.size() <= 2 * most) return order;
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return job.ranks[a].own > job.ranks[b].own; });
  order.resize(most);
  std::ranges::sort(order);
  return order;
}

std::string RanksTable(const Job& job, const RanksTextOptions& options, const Say& say) {
  DurationNs largest{};
  for (const JobRank& row : job.ranks) largest = std::max(largest, row.step);
  const TimeUnit unit = UnitFor(largest);
  const auto time = [&](DurationNs duration) { return FormatIn(unit, duration, largest); };
  Table table(say("ranks.ranks", NameOf(unit)),
              {{"", Align::kLeft},
               {say("ranks.column.step"), Align::kRight},
               {say("ranks.column.own"), Align::kRight},
               {say("ranks.column.compute"), Align::kRight},
               {say("ranks.column.exposed-transfer"), Align::kRight},
               {say("ranks.column.exposed-wait"), Align::kRight},
               {say("ranks.column.input"), Align::kRight, Fit::kDrop},
               {say("ranks.column.copies"), Align::kRight, Fit::kDrop},
               {say("ranks.column.idle"), Align::kRight, Fit::kDrop},
               {say("ranks.column.last"), Align::kRight},
               {say("ranks.column.offset"), Align::kRight, Fit::kDrop}});
  for (const size_t p : ShownRanks(job, options)) {
    const JobRank& row = job.ranks[p];
    const bool late = job.straggler && job.straggler->consistent && job.straggler->position == p;
    const Color color = late ? Color::kRed : Color::kPlain;
    const RankClock& clock = job.clocks.ranks[p];
    const std::string offset =
        !clock.aligned ? "–"
        : clock.offset_ns == 0
            ? ""
            : (clock.offset_ns > 0 ? "+" : "") + FormatDuration(DurationNs{clock.offset_ns});
    table.AddRow({{fmt::format("rank {}", row.rank), color},
                  time(row.step),
                  {time(row.own), color},
                  time(row.compute),
                  time(row.exposed_transfer),
                  time(row.exposed_wait),
                  time(row.input),
                  time(row.copy),
                  time(row.idle),
                  job.judged_calls == 0 ? "–"
                                        : FormatPercent(static_cast<int64_t>(row.last),
                                                        static_cast<int64_t>(job.judged_calls)) +
                                              " %",
                  offset});
  }
  return table.Render(options.style);
}

std::string KindWords(PathKind kind, const Say& say) {
  switch (kind) {
    case PathKind::kCompute:
      return say("ranks.kind.compute");
    case PathKind::kTransfer:
      return say("ranks.kind.transfer");
    case PathKind::kInput:
      return say("ranks.kind.input");
    case PathKind::kCopy:
      return say("ranks.kind.copy");
    case PathKind::kHost:
      break;
  }
  return say("ranks.kind.host");
}

std::string RestLines(const Job& job, const RanksTextOptions& options, const Say& say) {
  const Style& style = options.style;
  std::string out;
  if (job.pipeline) {
    const Pipeline& pipeline = *job.pipeline;
    out += Labelled(style, say("ranks.pipeline"),
                    say("ranks.pipeline.text", pipeline.stages, pipeline.micro_batches,
                        pipeline.measured_bubble, pipeline.ideal_bubble, pipeline.stage_imbalance));
  }
  if (!job.critical_path.empty()) {
    std::string text;
    const size_t shown = std::min<size_t>(options.all ? SIZE_MAX : 5, job.critical_path.size());
    for (const PathPart& part : std::span(job.critical_path).first(shown)) {
      const double share = static_cast<double>(part.time.ns) /
                           static_cast<double>(std::max<int64_t>(1, job.path_time.ns));
      text += (text.empty() ? "" : " · ") +
              say("ranks.path.part", part.rank, KindWords(part.kind, say), share);
    }
    out += Labelled(style, say("ranks.path"), text);
  }
  for (size_t i = 0; i < std::min<size_t>(job.mismatches.size(), options.all ? SIZE_MAX : 3); ++i) {
    const Mismatch& row = job.mismatches[i];
    const auto or_nothing = [&](const std::string& text) {
      return text.empty() ? say("ranks.differ.nothing") : style.Clean(text);
    };
    const RankGroup& group = job.groups[row.group].facts;
    out += Labelled(style, i == 0 ? say("ranks.differ") : "",
                    say("ranks.differ.text", row.rank, row.index,
                        style.Clean(group.description.empty() ? group.name : group.description),
                        or_nothing(row.found), or_nothing(row.expected)));
  }
  return out;
}

std::string ScalingTable(const Scaling& scaling, const RanksTextOptions& options, const Say& say) {
  Table table(scaling.weak ? say("ranks.scaling.weak") : say("ranks.scaling.strong"),
              {{"", Align::kLeft},
               {say("ranks.column.step"), Align::kRight},
               {say("ranks.column.efficiency"), Align::kRight},
               {say("ranks.column.loss"), Align::kRight},
               {say("ranks.column.compute"), Align::kRight},
               {say("ranks.column.exposed-transfer"), Align::kRight},
               {say("ranks.column.exposed-wait"), Align::kRight},
               {say("ranks.column.idle"), Align::kRight}});
  for (const ScalingRun& run : scaling.runs) {
    table.AddRow({say("ranks.devices", run.devices), FormatDuration(run.step),
                  fmt::format("{:.0f} %", 100 * run.efficiency), FormatDuration(run.loss),
                  FormatDuration(run.loss_compute), FormatDuration(run.loss_transfer),
                  FormatDuration(run.loss_wait), FormatDuration(run.loss_idle)});
  }
  return table.Render(options.style);
}

}  // namespace

std::string JobText(const Job& job, const RanksTextOptions& options) {
  const Say say(options.style);
  std::string out = JobLine(job, options.style, say);
  out += StragglerLines(job, options.style, say);
  out += ExposedLine(job, options.style, say);
  out += RestLines(job, options, say);
  for (const std::string& table :
       {RanksTable(job, options, say), CollectivesTable(job, options, say)}) {
    if (!table.empty()) out += '\n' + table;
  }
  return out;
}

std::string JobsText(const JobsReport& report, std::span<const Error> failed,
                     const RanksTextOptions& options) {
  const Say say(options.style);
  std::string out;
  for (const Job& job : report.jobs) {
    if (!out.empty()) out += '\n';
    out += JobText(job, options);
  }
  if (report.scaling) out += '\n' + ScalingTable(*report.scaling, options, say);
  std::string rest;
  if (!report.alone.empty()) {
    std::string names;
    for (size_t i = 0; i < std::min<size_t>(report.alone.size(), options.all ? SIZE_MAX : 5); ++i) {
      names += (i == 0 ? "" : ", ") + options.style.Clean(report.digests[report.alone[i]].path);
    }
    if (!options.all && report.alone.size() > 5) names += ", …";
    rest += Labelled(options.style, say("ranks.alone"),
                     say("ranks.alone.text", report.alone.size(), names));
  }
  for (const Error& error : failed) {
    rest += Labelled(options.style, say("ranks.not-read"),
                     options.style.Clean(error.file + ": " + options.style.Say(error.sentence)));
  }
  return out + (rest.empty() || out.empty() ? "" : "\n") + rest;
}

}  // namespace stepscope
