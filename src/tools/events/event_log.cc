#include "tools/events/event_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>

#include "io/input_damage.h"
#include "present/csv.h"
#include "present/table.h"
#include "present/units.h"

namespace stepscope {
namespace {

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
  const auto line = [&](Color color, std::string_view mark, const std::string& text) {
    out += fmt::format("{} {}\n", style.Paint(color, mark), style.Clean(text));
  };
  for (const FileDamage& damage : run.damage) {
    line(Color::kRed, "!",
         fmt::format("{} at byte {}: {}.", damage.file, damage.offset, style.Say(damage.sentence)));
  }
  for (const EventFile& file : run.files) {
    if (file.cut_bytes > 0) {
      line(Color::kYellow, "~",
           fmt::format("{} at byte {}: the last record is still being written ({} so far).",
                       file.path, file.cut_at, FormatBytes(static_cast<int64_t>(file.cut_bytes))));
    }
    if (file.events_after_damage > 0) {
      line(Color::kYellow, "~",
           fmt::format("{}: {} behind the fault were read; TensorBoard drops them.", file.path,
                       Plural(file.events_after_damage, "event", "events")));
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

std::string SentenceOf(const Restart& restart, const std::string& run) {
  if (restart.hides) {
    return fmt::format(
        "run {} began again at step {}: {} of that step or later hidden, as TensorBoard does "
        "(--raw shows them).",
        run, restart.step, Plural(restart.hidden, "point", "points"));
  }
  return fmt::format(
      "run {} has a session start at step {} after data of that step or later: TensorBoard drops "
      "that data; it is kept here.",
      run, restart.step);
}

std::string EventLogNotes(const std::vector<RunLog>& runs, const Style& style) {
  std::string out;
  for (const RunLog& run : runs) AddNotes(run, style, out);
  return out;
}

std::string EventLogText(const std::vector<RunLog>& runs, const Style& style) {
  std::string out;
  for (const RunLog& run : runs) {
    Table table(run.name, {{"", Align::kLeft, Fit::kShorten},
                           {"kind", Align::kLeft, Fit::kDrop},
                           {"count", Align::kRight, Fit::kKeep},
                           {"first step", Align::kRight, Fit::kKeep},
                           {"last step", Align::kRight, Fit::kKeep},
                           {"last value", Align::kRight, Fit::kKeep},
                           {"min", Align::kRight, Fit::kDrop},
                           {"max", Align::kRight, Fit::kDrop}});
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
    if (table.empty()) out += "  no tags\n";
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
  Table text("step", std::move(columns));
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
  Table table("run", {{"", Align::kLeft, Fit::kShorten},
                      {"tag", Align::kLeft, Fit::kShorten},
                      {"steps", Align::kRight, Fit::kKeep},
                      {"seconds", Align::kRight, Fit::kKeep},
                      {"steps/s", Align::kRight, Fit::kKeep},
                      {"median", Align::kRight, Fit::kKeep}});
  std::string slow;
  for (const RunRate& one : rates) {
    table.AddRow(
        {one.run, one.tag, FormatCount(one.rate.steps), fmt::format("{:.1f}", one.rate.seconds),
         fmt::format("{:.4g}", one.rate.steps_per_second), fmt::format("{:.4g}", one.rate.median)});
    for (const SlowPeriod& period : one.rate.slow) {
      slow += fmt::format(
          "{} {}: steps {} to {} from {} UTC took {:.1f} s, {:.4g} steps/s: {:.1f} times slower\n",
          style.Paint(Color::kYellow, "~"), style.Clean(one.run), period.first_step,
          period.last_step, FormatWallTime(period.start), period.seconds, period.steps_per_second,
          period.times_slower);
    }
  }
  std::string out = table.Render(style);
  return slow.empty() ? out : out + "\nslow periods (below half the median rate)\n" + slow;
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

std::string FollowedPointText(const std::string& run, const std::string& tag,
                              const ScalarPoint& point) {
  return fmt::format("{}  {}  step {}  {}\n", FormatWallTime(point.wall_time),
                     run == "." ? tag : run + ":" + tag, point.step, FormatValue(point.value));
}

std::string RestartText(const std::string& run, int64_t step) {
  return fmt::format("~ run {} starts at step {}\n", run, step);
}

void NoteDamageOf(const RunLog& run) {
  for (const FileDamage& damage : run.damage) {
    NoteDamage(damage.file, "damaged-records", damage.sentence, damage.offset);
  }
  for (const EventFile& file : run.files) {
    if (file.cut_bytes == 0) continue;
    NoteDamage(file.path, "file-truncated",
               fmt::format("The file ends inside of a record ({} bytes of it); it is still being "
                           "written, or it was cut.",
                           file.cut_bytes),
               file.cut_at);
  }
}

}  // namespace stepscope
