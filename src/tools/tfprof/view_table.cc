#include "tools/tfprof/view_table.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "command/damage.h"
#include "present/csv.h"
#include "present/json_writer.h"
#include "present/table.h"
#include "present/units.h"

namespace stepscope::tfprof {
namespace {

enum class Unit : uint8_t { kMicros, kBytes, kCount };

struct Quantity {
  Column column;
  std::string_view key;    // of JSON and CSV
  std::string_view title;  // of the table
  int64_t Stats::* member;
  Unit unit;
};
constexpr Quantity kQuantities[] = {
    {Column::kMicros, "micros", "time", &Stats::micros, Unit::kMicros},
    {Column::kAcceleratorMicros, "accelerator_micros", "accelerator", &Stats::accelerator_micros,
     Unit::kMicros},
    {Column::kCpuMicros, "cpu_micros", "host", &Stats::cpu_micros, Unit::kMicros},
    {Column::kBytes, "requested_bytes", "requested", &Stats::requested_bytes, Unit::kBytes},
    {Column::kPeakBytes, "peak_bytes", "peak", &Stats::peak_bytes, Unit::kBytes},
    {Column::kResidualBytes, "residual_bytes", "residual", &Stats::residual_bytes, Unit::kBytes},
    {Column::kOutputBytes, "output_bytes", "output", &Stats::output_bytes, Unit::kBytes},
    {Column::kParams, "parameters", "params", &Stats::parameters, Unit::kCount},
    {Column::kFloatOps, "float_ops", "flops", &Stats::float_ops, Unit::kCount},
    {Column::kOccurrence, "runs", "runs", &Stats::run_count, Unit::kCount},
};

std::string Number(Unit unit, int64_t value) {
  switch (unit) {
    case Unit::kMicros:
      return FormatDuration({value * 1000});
    case Unit::kBytes:
      return FormatBytes(value);
    case Unit::kCount:
      return FormatCount(value);
  }
  return {};
}

bool IsTime(const Quantity& quantity) { return quantity.unit == Unit::kMicros; }

class Rows {
 public:
  explicit Rows(const ViewTable& table) : table_(table) {
    const bool all_times = table.options.Selects(Column::kMicros);
    for (const Quantity& quantity : kQuantities) {
      const bool wanted = table.options.Selects(quantity.column) || (all_times && IsTime(quantity));
      if (wanted && !table.model.Lacks(quantity.column)) shown_.push_back(&quantity);
    }
  }

  const std::vector<const Quantity*>& shown() const { return shown_; }
  bool shapes() const {
    return table_.options.Selects(Column::kInputShapes) &&
           !table_.model.Lacks(Column::kInputShapes) && table_.view.kind != ViewKind::kCode &&
           (table_.view.kind != ViewKind::kOp || table_.model.saw_shapes());
  }

  // Depth first, parents before children; op view is a plain list.
  std::vector<uint32_t> Order() const {
    std::vector<uint32_t> order;
    std::vector<uint32_t> stack{table_.view.root};
    while (!stack.empty()) {
      const uint32_t row = stack.back();
      stack.pop_back();
      const std::vector<uint32_t>& below = table_.view.nodes[row].shown_children;
      stack.insert(stack.end(), below.rbegin(), below.rend());
      if (row != table_.view.root || table_.view.kind != ViewKind::kOp) order.push_back(row);
    }
    return order;
  }

  int64_t Total(const Quantity& quantity, uint32_t row) const {
    if (table_.wall != nullptr && IsTime(quantity)) {
      const WallTimes& wall = (*table_.wall)[row];
      return quantity.member == &Stats::micros               ? wall.micros
             : quantity.member == &Stats::accelerator_micros ? wall.accelerator_micros
                                                             : wall.cpu_micros;
    }
    const ViewNode& node = table_.view.nodes[row];
    // Totals of the op view are running sums; people want a row's own number.
    return (table_.view.kind == ViewKind::kOp ? node.self : node.total).*quantity.member;
  }

  int64_t Whole(const Quantity& quantity) const {
    if (table_.wall != nullptr && IsTime(quantity)) return Total(quantity, table_.view.root);
    return table_.view.Root().total.*quantity.member;
  }

  std::string Devices(const ViewNode& node) const {
    std::vector<std::string_view> names;
    if (node.node != kNoNode) {
      const StringId device = table_.model.nodes()[static_cast<size_t>(node.node)].device;
      if (device != kEmptyString) names.push_back(table_.model.Text(device));
    }
    for (const StringId device : node.devices) {
      if (device != kEmptyString) names.push_back(table_.model.Text(device));
    }
    return fmt::format("{}", fmt::join(names, " "));
  }

  std::string Types(const ViewNode& node) const {
    std::vector<std::string_view> names;
    const std::vector<StringId>& types =
        node.node != kNoNode ? table_.model.nodes()[static_cast<size_t>(node.node)].types
                             : node.types;
    for (const StringId type : types) names.push_back(table_.model.Text(type));
    return fmt::format("{}", fmt::join(names, " "));
  }

  // "8x28x28x1, ?": an input whose shape the graph does not have is unknown. A profile that records
  // shapes with every call gives its own spelling, the most frequent first, at most `most` of them.
  std::string Shapes(const ViewNode& node, size_t most = ~size_t{0}) const {
    if (table_.model.saw_shapes()) return SeenShapesOf(node, most);
    if (node.node == kNoNode) return {};
    std::vector<std::string> shapes;
    for (const NodeInput& input : table_.model.nodes()[static_cast<size_t>(node.node)].inputs) {
      const std::vector<int64_t> shape = table_.model.InputShape(input);
      shapes.push_back(shape.empty() ? "?" : fmt::format("{}", fmt::join(shape, "x")));
    }
    return fmt::format("{}", fmt::join(shapes, ", "));
  }

 private:
  std::string SeenShapesOf(const ViewNode& node, size_t most) const {
    std::map<StringId, int64_t> runs;
    const auto add = [&](int32_t member) {
      const Node& source = table_.model.nodes()[static_cast<size_t>(member)];
      for (const SeenShapes& seen : table_.model.ShapesSeen(source, table_.options.step)) {
        runs[seen.text] += seen.runs;
      }
    };
    if (node.node != kNoNode) add(node.node);
    for (const int32_t member : node.members) add(member);
    std::vector<std::pair<StringId, int64_t>> order(runs.begin(), runs.end());
    std::ranges::stable_sort(order, std::greater<>(), &std::pair<StringId, int64_t>::second);
    std::string text;
    for (size_t i = 0; i < std::min(most, order.size()); ++i) {
      text += fmt::format("{}{}", i > 0 ? " | " : "", table_.model.Text(order[i].first));
    }
    if (order.size() > most) text += fmt::format(" and {} more", order.size() - most);
    return text;
  }

  const ViewTable& table_;
  std::vector<const Quantity*> shown_;
};

// The quantity the bars show: what rows are ordered by, else the first column.
const Quantity* BarOf(const Rows& rows, const Options& options) {
  for (const Quantity* quantity : rows.shown()) {
    if (kColumnNames[static_cast<size_t>(quantity->column)] == options.order_by) return quantity;
  }
  return rows.shown().empty() ? nullptr : rows.shown().front();
}

std::string_view HeadingOf(ViewKind kind) {
  switch (kind) {
    case ViewKind::kScope:
      return "Scope";
    case ViewKind::kGraph:
      return "Node";
    case ViewKind::kCode:
      return "Code";
    case ViewKind::kOp:
      return "Op type";
  }
  return {};
}

std::string NameOf(const ViewTable& table, const ViewNode& node) {
  if (node.name == kRoot) return "all";
  std::string_view name = node.name;
  // Below its scope a node is shown by the rest of its name.
  if (table.view.kind == ViewKind::kScope && node.indent > 1) {
    name = name.substr(name.rfind('/') + 1);
    if (name.empty()) name = node.name;
  }
  return Indentation(node.indent) + std::string(name);
}

std::string Explanation(const ViewTable& table) {
  std::string text;
  const bool times = table.options.Selects(Column::kMicros) ||
                     table.options.Selects(Column::kAcceleratorMicros) ||
                     table.options.Selects(Column::kCpuMicros);
  if (times && table.wall != nullptr) {
    text += "Times are wall clock: how long at least one op of the row ran per step.\n";
  } else if (times) {
    text +=
        "Times add up what ran side by side, accelerator and host alike; --wall gives the "
        "clock's.\n";
  }
  if (times && table.options.step < 0 && table.model.steps().size() > 1 && table.wall == nullptr) {
    text += fmt::format(
        "Averages over the steps a node ran in, of {}: a node of one step counts as if it ran in "
        "all.\n",
        table.model.steps().size());
  }
  std::vector<std::string_view> absent;
  for (const Quantity& quantity : kQuantities) {
    if (table.options.Selects(quantity.column) && table.model.Lacks(quantity.column)) {
      absent.push_back(kColumnNames[static_cast<size_t>(quantity.column)]);
    }
  }
  for (const Column column : {Column::kInputShapes, Column::kTensorValue}) {
    if (!table.options.Selects(column)) continue;
    const std::string_view name = kColumnNames[static_cast<size_t>(column)];
    const bool by_node = table.view.kind == ViewKind::kScope || table.view.kind == ViewKind::kGraph;
    if (table.model.Lacks(column)) {
      absent.push_back(name);
    } else if (column == Column::kTensorValue || (!by_node && !table.model.saw_shapes())) {
      text += fmt::format("{} is printed with -output stdout.\n", name);
    }
  }
  if (!absent.empty()) {
    text += fmt::format("This profile has no {}.\n", fmt::join(absent, ", "));
  }
  return text;
}

}  // namespace

namespace {

std::string Csv(const ViewTable& table, bool header, bool traces) {
  const Rows rows(table);
  std::string out;
  CsvWriter csv(out);
  if (header) {
    if (traces) csv.Field(std::string_view("trace"));
    csv.Field(std::string_view("name"));
    csv.Field(std::string_view("depth"));
    for (const Quantity* quantity : rows.shown()) {
      csv.Field(quantity->key);
      csv.Field("total_" + std::string(quantity->key));
    }
    if (rows.shapes()) csv.Field(std::string_view("input_shapes"));
    csv.EndRow();
  }
  for (const uint32_t row : rows.Order()) {
    const ViewNode& node = table.view.nodes[row];
    if (traces) csv.Field(table.trace == nullptr ? std::string_view() : table.trace->path);
    csv.Field(node.name);
    csv.Field(node.indent);
    for (const Quantity* quantity : rows.shown()) {
      csv.Field(node.self.*quantity->member);
      csv.Field(rows.Total(*quantity, row));
    }
    if (rows.shapes()) csv.Field(rows.Shapes(node));
    csv.EndRow();
  }
  return out;
}

void WriteTrace(const Trace& trace, JsonWriter& json) {
  json.Field("path", trace.path);
  if (trace.facts.rank) json.Field("rank", *trace.facts.rank);
  if (!trace.facts.host.empty()) json.Field("host", trace.facts.host);
}

}  // namespace

std::string RenderTable(const ViewTable& table, const Style& style) {
  const Rows rows(table);
  const Quantity* bar = BarOf(rows, table.options);
  std::vector<stepscope::Column> columns{
      {std::string(HeadingOf(table.view.kind)), Align::kLeft, Fit::kShorten}};
  for (const Quantity* quantity : rows.shown()) {
    columns.push_back({std::string(quantity->title), Align::kRight});
  }
  if (bar != nullptr) {
    columns.push_back({"%", Align::kRight});
    columns.push_back({"", Align::kLeft, Fit::kBar});
  }
  const bool devices = table.options.Selects(Column::kDevice);
  const bool types = table.options.Selects(Column::kOpTypes);
  if (rows.shapes()) columns.push_back({"input shapes", Align::kLeft, Fit::kShorten});
  if (devices) columns.push_back({"device", Align::kLeft, Fit::kDrop});
  if (types) columns.push_back({"types", Align::kLeft, Fit::kDrop});
  Table out(std::string(HeadingOf(table.view.kind)), columns);
  for (const uint32_t row : rows.Order()) {
    const ViewNode& node = table.view.nodes[row];
    std::vector<Cell> cells{
        Cell(NameOf(table, node), node.accounted ? Color::kPlain : Color::kDim)};
    for (const Quantity* quantity : rows.shown()) {
      const int64_t value = rows.Total(*quantity, row);
      cells.emplace_back(Number(quantity->unit, value), value == 0 ? Color::kDim : Color::kPlain);
    }
    if (bar != nullptr) {
      const int64_t whole = rows.Whole(*bar);
      const int64_t value = rows.Total(*bar, row);
      cells.emplace_back(FormatPercent(value, whole));
      cells.push_back(Cell::Bar(
          whole > 0 ? std::clamp(static_cast<double>(value) / static_cast<double>(whole), 0.0, 1.0)
                    : 0.0,
          Color::kBlue));
    }
    if (rows.shapes()) cells.emplace_back(rows.Shapes(node, 1), Color::kDim);
    if (devices) cells.emplace_back(rows.Devices(node), Color::kDim);
    if (types) cells.emplace_back(rows.Types(node), Color::kDim);
    out.AddRow(std::move(cells));
  }
  return out.Render(style) + "\n" + Explanation(table);
}

std::string RenderJson(const ViewTable& table) {
  const Rows rows(table);
  std::string out;
  JsonWriter json(out);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.view/1");
  json.Field("view", HeadingOf(table.view.kind));
  if (table.trace != nullptr) WriteTrace(*table.trace, json);
  json.Field("step", table.options.step);
  json.Field("wall", table.wall != nullptr);
  json.Key("absent");
  json.BeginArray();
  for (const Quantity& quantity : kQuantities) {
    if (table.model.Lacks(quantity.column)) json.Value(quantity.key);
  }
  json.EndArray();
  json.Key("rows");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const uint32_t row : rows.Order()) {
    const ViewNode& node = table.view.nodes[row];
    json.BeginObject();
    json.Field("name", node.name);
    json.Field("depth", node.indent);
    json.Field("accounted", node.accounted);
    for (const Quantity* quantity : rows.shown()) {
      json.Field(quantity->key, node.self.*quantity->member);
      json.Field("total_" + std::string(quantity->key), rows.Total(*quantity, row));
    }
    if (rows.shapes()) json.Field("input_shapes", rows.Shapes(node));
    if (table.options.Selects(Column::kDevice)) json.Field("device", rows.Devices(node));
    if (table.options.Selects(Column::kOpTypes)) json.Field("types", rows.Types(node));
    json.EndObject();
  }
  json.EndArray();
  WriteDamage(json);
  json.EndObject();
  return out + "\n";
}

std::string JoinJson(std::span<const std::string> views) {
  std::string out = "{\"schema\": \"stepscope.views/1\", \"views\": [\n";
  for (size_t i = 0; i < views.size(); ++i) {
    if (i > 0) out += ",\n";
    out += views[i].substr(0, views[i].find_last_not_of('\n') + 1);
  }
  return out + "\n]}\n";
}

std::string RenderCsv(const ViewTable& table) { return Csv(table, true, false); }
std::string RenderCsvPart(const ViewTable& table, bool header) { return Csv(table, header, true); }

}  // namespace stepscope::tfprof
