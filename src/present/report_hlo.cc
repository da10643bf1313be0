#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "present/report_sections.h"
#include "present/table.h"
#include "present/units.h"

// XLA's instructions, and the Python lines that made them.
namespace stepscope {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;

DurationNs TotalOf(const std::vector<HloRow>& rows) {
  DurationNs total;
  for (const HloRow& row : rows) total += row.total;
  return total;
}

// "668.2" for what all calls worked or moved in the time they took.
std::string Rate(std::optional<int64_t> each, const HloRow& row, double unit) {
  if (!each || *each <= 0 || row.total.ns <= 0) return {};
  const double a_second = static_cast<double>(*each) * static_cast<double>(row.calls) /
                          static_cast<double>(row.total.ns) * 1e9;
  return fmt::format("{:.{}f}", a_second / unit, a_second < 10 * unit ? 2 : 1);
}

// "…/lab/train.py:31" is "train.py:31" where room is short.
Cell SourceCell(std::string_view source) {
  const size_t slash = source.rfind('/');
  const std::string_view file = slash == std::string_view::npos ? source : source.substr(slash + 1);
  Cell cell = Cell::WithShorter(std::string(source), std::string(file));
  cell.color = Color::kDim;
  return cell;
}

bool IsOnDevice(const TextView& view) { return !view.report.kernels.empty(); }

std::string InstructionsTable(const TextView& view) {
  const std::vector<HloRow>& rows = view.report.hlo;
  const DurationNs all = TotalOf(rows);
  const size_t shown = view.rows(rows.size());
  const TimeUnit unit = UnitFor(rows[0].total);
  Table table(
      Heading(view, IsOnDevice(view) ? view.say("report.xla-device") : view.say("report.xla-host"),
              shown, rows.size()),
      {{"", Align::kLeft, Fit::kShorten},
       {std::string(NameOf(unit)), Align::kRight},
       {"%", Align::kRight},
       {view.say("report.column.calls"), Align::kRight},
       {"TFLOP/s", Align::kRight, Fit::kDrop},
       {"GB/s", Align::kRight, Fit::kDrop},
       {view.say("report.column.what"), Align::kLeft, Fit::kDrop},
       {view.say("report.column.made-by"), Align::kLeft, Fit::kShorten}});
  for (const HloRow& row : std::span(rows).first(shown)) {
    table.AddRow({view.trace.strings[row.name], FormatIn(unit, row.total, rows[0].total),
                  FormatPercent(row.total.ns, all.ns), FormatCount(row.calls),
                  Rate(row.flops, row, kTera), Rate(row.bytes, row, kGiga),
                  view.trace.strings[row.category], SourceCell(view.trace.strings[row.source])});
  }
  return table.Render(view.style);
}

struct LineTotal {
  std::string_view source;
  DurationNs total;
  const HloRow* largest = nullptr;  // of its instructions
  size_t instructions = 0;
};

// Instructions by the line of the program that made them; nothing where no line is recorded.
std::string LinesTable(const TextView& view) {
  std::map<std::string_view, LineTotal> by_source;
  for (const HloRow& row : view.report.hlo) {  // by time, so the first of a line is its largest
    const std::string_view source = view.trace.strings[row.source];
    if (source.empty()) continue;
    LineTotal& line = by_source[source];
    line.source = source;
    line.total += row.total;
    if (line.largest == nullptr) line.largest = &row;
    ++line.instructions;
  }
  if (by_source.size() < 2) return {};
  std::vector<LineTotal> lines;
  for (const auto& [source, line] : by_source) lines.push_back(line);
  std::ranges::stable_sort(lines, std::greater<>(), &LineTotal::total);
  const DurationNs all = TotalOf(view.report.hlo);
  const size_t shown = view.rows(lines.size());
  const TimeUnit unit = UnitFor(lines[0].total);
  Table table(
      Heading(view,
              IsOnDevice(view) ? view.say("report.lines-device") : view.say("report.lines-host"),
              shown, lines.size()),
      {{"", Align::kLeft, Fit::kShorten},
       {std::string(NameOf(unit)), Align::kRight},
       {"%", Align::kRight},
       {view.say("report.column.ops"), Align::kRight},
       {view.say("report.column.most"), Align::kLeft, Fit::kShorten}});
  for (const LineTotal& line : std::span(lines).first(shown)) {
    const std::string_view path = view.trace.strings[line.largest->op_name];
    Cell source = SourceCell(line.source);
    source.color = Color::kPlain;
    table.AddRow({std::move(source), FormatIn(unit, line.total, lines[0].total),
                  FormatPercent(line.total.ns, all.ns), FormatCount(line.instructions),
                  Cell(path.empty() ? view.trace.strings[line.largest->name] : path, Color::kDim)});
  }
  return table.Render(view.style);
}

}  // namespace

bool HloTellsMore(const TextView& view) {
  DurationNs ops;
  for (const OpRow& op : view.report.ops) {
    if (op.kind == Kind::kOp) ops += IsOnDevice(view) ? op.device_self : op.host_self;
  }
  // On a CPU the instructions are the ops, beside a few of the framework's own.
  const DurationNs hlo = TotalOf(view.report.hlo);
  return hlo.ns > 0 && hlo.ns * 2 >= ops.ns;
}

std::string HloSection(const TextView& view) {
  if (!HloTellsMore(view)) return {};
  const std::string lines = LinesTable(view);
  return InstructionsTable(view) + (lines.empty() ? "" : '\n' + lines);
}

}  // namespace stepscope
