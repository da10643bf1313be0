#include "tools/events/event_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "io/input_damage.h"
#include "present/csv.h"
#include "present/table.h"
#include "present/units.h"
#include "words/events.h"

namespace stepscope {
namespace {

constexpr SayFrom<kEventsTexts> Say;
using Speaker = SayIn<kEventsTexts>;

std::string Short(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : FormatValue(value);
}
std::string Short(const std::optional<double>& value) { return value ? Short(*value) : ""; }

// "2023-11-14 22:13:20" in UTC.
std::string FormatWallTime(double seconds) {
  if (!(seconds > 0 && seconds < 32503680000.0)) return Short(seconds);
  const auto whole = static_cast<std::time_t>(seconds);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(whole));
}

void AddNotes(const RunLog& run, const Style& style, std::string& out) {
  const auto line = [&](Color color, std::string_view mark, const Message& text) {
    out += fmt::format("{} {}\n", style.Paint(color, mark), style.Clean(style.Say(text)));
  };
  for (const FileDamage& damage : run.damage) {
    line(Color::kRed, "!", Say("events.at-byte", damage.file, damage.offset, damage.sentence));
  }
  for (const EventFile& file : run.files) {
    if (file.cut_bytes > 0) {
      line(Color::kYellow, "~",
           Say("events.still-written", file.path, file.cut_at,
               FormatBytes(static_cast<int64_t>(file.cut_bytes))));
    }
    if (file.events_after_damage > 0) {
      line(Color::kYellow, "~", Say("events.behind-fault", file.path, file.events_after_damage));
    }
  }
  for (const Restart& restart : run.restarts) {
    line(Color::kYellow, "~", SentenceOf(restart, run.name));
  }
}

}  // namespace

std::string FormatValue(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

Message SentenceOf(const Restart& restart, const std::string& run) {
  if (restart.hides) return Say("events.began-again", run, restart.step, restart.hidden);
  return Say("events.session-start", run, restart.step);
}

std::string EventLogNotes(const std::vector<RunLog>& runs, const Style& style) {
  std::string out;
  for (const RunLog& run : runs) AddNotes(run, style, out);
  return out;
}

std::string EventLogText(const std::vector<RunLog>& runs, const Style& style) {
  const Speaker say(style);
  std::string out;
  for (const RunLog& run : runs) {
    Table table(run.name, {{"", Align::kLeft, Fit::kShorten},
                           {say("events.column.kind"), Align::kLeft, Fit::kDrop},
                           {say("events.column.count"), Align::kRight, Fit::kKeep},
                           {say("events.column.first-step"), Align::kRight, Fit::kKeep},
                           {say("events.column.last-step"), Align::kRight, Fit::kKeep},
                           {say("events.column.last-value"), Align::kRight, Fit::kKeep},
                           {say("events.column.min"), Align::kRight, Fit::kDrop},
                           {say("events.column.max"), Align::kRight, Fit::kDrop}});
    for (const TagSeries& series : run.tags) {
      const bool scalar = series.kind == TagKind::kScalar && series.count > 0;
      const bool bad = scalar && !std::isfinite(series.last_value);
      table.AddRow({series.tag,
                    std::string(NameOf(series.kind)),
                    FormatCount(series.count),
                    std::to_string(series.first_step),
                    std::to_string(series.last_step),
                    {scalar ? Short(series.last_value) : "", bad ? Color::kRed : Color::kPlain},
                    scalar ? Short(series.min) : "",
                    scalar ? Short(series.max) : ""});
    }
    if (!out.empty()) out += "\n";
    out += table.Render(style);
    if (table.empty()) out += "  " + say("events.no-tags") + "\n";
  }
  const std::string notes = EventLogNotes(runs, style);
  if (!notes.empty()) out += "\n" + notes;
  return out;
}

std::string EventPointsCsv(const std::vector<RunLog>& runs) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"run", "tag", "step", "wall_time", "value"});
  for (const RunLog& run : runs) {
    for (const TagSeries& series : run.tags) {
      for (const ScalarPoint& point : series.scalars) {
        csv.Row(run.name, series.tag, point.step, FormatValue(point.wall_time),
                FormatValue(point.value));
      }
    }
  }
  return out;
}

std::string StepTableText(const StepTable& table, const Style& style) {
  std::vector<Column> columns{{"", Align::kRight, Fit::kKeep}};
  for (const std::string& name : table.columns) {
    columns.push_back({name, Align::kRight, Fit::kKeep});
  }
  Table text(style.Say(Say("events.column.step")), std::move(columns));
  for (const StepTable::Row& row : table.rows) {
    std::vector<Cell> cells{std::to_string(row.step)};
    for (const auto& cell : row.cells) cells.emplace_back(Short(cell));
    text.AddRow(std::move(cells));
  }
  return text.Render(style);
}

std::string StepTableCsv(const StepTable& table) {
  std::string out;
  CsvWriter csv(out);
  csv.Field(std::string_view("step"));
  for (const std::string& name : table.columns) csv.Field(std::string_view(name));
  csv.EndRow();
  for (const StepTable::Row& row : table.rows) {
    csv.Field(row.step);
    for (const auto& cell : row.cells) csv.Field(cell ? FormatValue(*cell) : "");
    csv.EndRow();
  }
  return out;
}

std::string RatesText(const std::vector<RunRate>& rates, const Style& style) {
  const Speaker say(style);
  Table table(say("events.column.run"), {{"", Align::kLeft, Fit::kShorten},
                                         {say("events.column.tag"), Align::kLeft, Fit::kShorten},
                                         {say("events.column.steps"), Align::kRight},
                                         {say("events.column.seconds"), Align::kRight},
                                         {say("events.column.rate"), Align::kRight},
                                         {say("events.column.median"), Align::kRight}});
  std::string slow;
  for (const RunRate& one : rates) {
    table.AddRow(
        {one.run, one.tag, FormatCount(one.rate.steps), fmt::format("{:.1f}", one.rate.seconds),
         fmt::format("{:.4g}", one.rate.steps_per_second), fmt::format("{:.4g}", one.rate.median)});
    for (const SlowPeriod& period : one.rate.slow) {
      slow += fmt::format("{} {}\n", style.Paint(Color::kYellow, "~"),
                          say("events.slow-period", style.Clean(one.run), period.first_step,
                              period.last_step, FormatWallTime(period.start), period.seconds,
                              period.steps_per_second, period.times_slower));
    }
  }
  std::string out = table.Render(style);
  return slow.empty() ? out : out + "\n" + say("events.slow-periods") + "\n" + slow;
}

std::string RatesCsv(const std::vector<RunRate>& rates) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"run", "tag", "first_step", "last_step", "seconds", "steps_per_second",
              "median_steps_per_second", "slow"});
  for (const RunRate& one : rates) {
    csv.Row(one.run, one.tag, "", "", one.rate.seconds, one.rate.steps_per_second, one.rate.median,
            "");
    for (const SlowPeriod& period : one.rate.slow) {
      csv.Row(one.run, one.tag, period.first_step, period.last_step, period.seconds,
              period.steps_per_second, one.rate.median, "slow");
    }
  }
  return out;
}

Message FollowedPoint(const std::string& run, const std::string& tag, const ScalarPoint& point) {
  return Say("events.followed", FormatWallTime(point.wall_time), run == "." ? tag : run + ":" + tag,
             point.step, FormatValue(point.value));
}

Message StartOf(const std::string& run, int64_t step) { return Say("events.starts", run, step); }

void NoteDamageOf(const RunLog& run) {
  for (const FileDamage& damage : run.damage) {
    NoteDamage(damage.file, "damaged-records", damage.sentence, damage.offset);
  }
  for (const EventFile& file : run.files) {
    if (file.cut_bytes == 0) continue;
    NoteDamage(file.path, "file-truncated", Say("events.ends-inside", file.cut_bytes), file.cut_at);
  }
}

}  // namespace stepscope
