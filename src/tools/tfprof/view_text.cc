#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "tools/tfprof/numbers.h"
#include "tools/tfprof/text.h"

namespace stepscope::tfprof {
namespace {

constexpr size_t kOpNameWidth = 25;
constexpr size_t kOpCellWidth = 30;
constexpr size_t kOccurrenceWidth = 10;

// "self/total", or "--/total" where the node itself is not of the wanted types.
template <typename Format>
std::string SelfAndTotal(const ViewNode& node, int64_t Stats::* member, Format&& format) {
  return (node.accounted ? format(node.self.*member) : "--") + "/" + format(node.total.*member);
}

// Pads by bytes, as printf does.
std::string Right(std::string_view text, size_t width) {
  std::string padded(text.size() < width ? width - text.size() : 0, ' ');
  return padded.append(text);
}
std::string Left(std::string_view text, size_t width) {
  std::string padded(text);
  if (padded.size() < width) padded.append(width - padded.size(), ' ');
  return padded;
}

struct TimeColumns {
  bool total = false;
  bool accelerator = false;
  bool cpu = false;
};
// `micros` also shows the two other times.
TimeColumns TimesOf(const Options& options) {
  const bool all = options.Selects(Column::kMicros);
  return {all, all || options.Selects(Column::kAcceleratorMicros),
          all || options.Selects(Column::kCpuMicros)};
}

struct MemoryColumn {
  Column column;
  int64_t Stats::* member;
  std::string_view legend;
};
constexpr MemoryColumn kMemoryColumns[] = {
    {Column::kBytes, &Stats::requested_bytes, "requested bytes"},
    {Column::kPeakBytes, &Stats::peak_bytes, "peak bytes"},
    {Column::kResidualBytes, &Stats::residual_bytes, "residual bytes"},
    {Column::kOutputBytes, &Stats::output_bytes, "output bytes"}};

class Writer {
 public:
  Writer(const Model& model, const View& view, const Options& options,
         const TensorText& tensor_text)
      : model_(model),
        view_(view),
        options_(options),
        times_(TimesOf(options)),
        tensor_text_(tensor_text) {
    for (size_t i = 0; i < selected_.size(); ++i) {
      selected_[i] = options.Selects(static_cast<Column>(i));
    }
  }

  std::string Write() {
    if (view_.kind == ViewKind::kOp) {
      WriteOps();
    } else {
      text_ += Legend();
      if (view_.root_shown) WriteTree();
    }
    return std::move(text_);
  }

 private:
  bool Selects(Column column) const { return selected_[static_cast<size_t>(column)]; }

  bool IsTree() const { return view_.kind == ViewKind::kScope || view_.kind == ViewKind::kGraph; }

  std::string Legend() const {
    std::vector<std::string_view> names;
    const auto numbers = [&] {
      if (Selects(Column::kParams)) names.push_back("# parameters");
      if (Selects(Column::kFloatOps)) names.push_back("# float_ops");
    };
    if (IsTree()) numbers();
    for (const MemoryColumn& memory : kMemoryColumns) {
      if (Selects(memory.column)) names.push_back(memory.legend);
    }
    const TimeColumns& times = times_;
    if (times.total) names.push_back("total execution time");
    if (times.accelerator) names.push_back("accelerator execution time");
    if (times.cpu) names.push_back("cpu execution time");
    if (!IsTree()) numbers();
    if (Selects(Column::kDevice)) names.push_back("assigned devices");
    if (Selects(Column::kOpTypes)) names.push_back("op types");
    if (Selects(Column::kOccurrence)) {
      names.push_back(IsTree() ? "op count (run|defined)" : "op occurrence (run|defined)");
    }
    if (Selects(Column::kInputShapes)) names.push_back("input shapes");
    return fmt::format("node name | {}\n", fmt::join(names, " | "));
  }

  void WriteTree() {
    // Depth first, parents before children; a stack, because graphs are deep.
    std::vector<uint32_t> stack{view_.root};
    while (!stack.empty()) {
      const ViewNode& node = view_.nodes[stack.back()];
      stack.pop_back();
      stack.insert(stack.end(), node.shown_children.rbegin(), node.shown_children.rend());
      text_ += Indentation(node.indent);
      text_ += node.name;
      WriteCells(node);
      if (!IsTree() || !Selects(Column::kTensorValue) || node.name == kRoot) continue;
      if (const std::optional<std::string> value = tensor_text_(node.name)) text_ += *value;
    }
  }

  void WriteCells(const ViewNode& node) {
    std::string_view before = " (";
    for (const std::string& cell : CellsOf(node)) {
      text_ += before;
      text_ += cell;
      before = ", ";
    }
    if (before == " (") text_ += before;
    text_ += ")\n";
  }

  std::vector<std::string> CellsOf(const ViewNode& node) const {
    std::vector<std::string> cells;
    if (IsTree()) AddNumbers(node, cells);
    for (const MemoryColumn& memory : kMemoryColumns) {
      if (Selects(memory.column)) {
        cells.push_back(SelfAndTotal(node, memory.member, FormatBytes));
      }
    }
    const TimeColumns& times = times_;
    if (times.total) cells.push_back(SelfAndTotal(node, &Stats::micros, FormatMicros));
    if (times.accelerator) {
      cells.push_back(SelfAndTotal(node, &Stats::accelerator_micros, FormatMicros));
    }
    if (times.cpu) cells.push_back(SelfAndTotal(node, &Stats::cpu_micros, FormatMicros));
    if (!IsTree()) AddNumbers(node, cells);
    if (Selects(Column::kDevice)) AddDevices(node, cells);
    if (Selects(Column::kOpTypes)) cells.push_back(Types(node));
    if (Selects(Column::kOccurrence)) cells.push_back(Occurrence(node));
    if (Selects(Column::kInputShapes)) {
      cells.push_back(IsTree() ? InputShapes(node, "|") : "input_shapes N/A in code view");
    }
    return cells;
  }

  void AddNumbers(const ViewNode& node, std::vector<std::string>& cells) const {
    if (Selects(Column::kParams)) {
      if (node.node != kNoNode && !NodeOf(node).shape.empty()) {
        cells.push_back(fmt::format("{}", fmt::join(NodeOf(node).shape, "x")));
      }
      cells.push_back(SelfAndTotal(node, &Stats::parameters, FormatCount) + " params");
    }
    if (Selects(Column::kFloatOps)) {
      cells.push_back(SelfAndTotal(node, &Stats::float_ops, FormatCount) + " flops");
    }
  }

  void AddDevices(const ViewNode& node, std::vector<std::string>& cells) const {
    if (IsTree()) {
      if (node.node != kNoNode && NodeOf(node).device != kEmptyString) {
        cells.emplace_back(model_.Text(NodeOf(node).device));
      }
    } else if (!node.devices.empty()) {
      cells.push_back(Joined(node.devices));
    }
  }

  std::string Joined(const std::vector<StringId>& ids) const {
    std::vector<std::string_view> texts;
    for (const StringId id : ids) texts.push_back(model_.Text(id));
    return fmt::format("{}", fmt::join(texts, "|"));
  }

  std::string Occurrence(const ViewNode& node) const {
    if (!IsTree()) return "occurrence N/A in code view";
    return SelfAndTotal(node, &Stats::run_count, FormatCount) + "|" +
           (node.accounted ? "1/" : "--/") + FormatCount(node.total.definitions);
  }

  const Node& NodeOf(const ViewNode& node) const {
    return model_.nodes()[static_cast<size_t>(node.node)];
  }

  std::string Types(const ViewNode& node) const {
    if (!IsTree()) return Joined(node.types);
    if (node.node != kNoNode) return Joined(NodeOf(node).types);
    return view_.kind == ViewKind::kScope ? "_kTFScopeParent" : "_TFGraphParent";
  }

  std::string InputShapes(const Node& node, std::string_view separator) const {
    std::string text;
    std::string_view before;
    for (const SeenShapes& seen : model_.ShapesSeen(node, options_.step)) {
      text += fmt::format("{}{}", before, model_.Text(seen.text));
      before = separator;
    }
    if (model_.saw_shapes()) return text;
    for (const NodeInput& input : node.inputs) {
      const std::vector<int64_t> shape = model_.InputShape(input);
      text += shape.empty() ? fmt::format("{}{}:unknown", before, input.index)
                            : fmt::format("{}{}:{}", before, input.index, fmt::join(shape, "x"));
      before = separator;
    }
    return text;
  }
  std::string InputShapes(const ViewNode& node, std::string_view separator) const {
    return node.node == kNoNode ? std::string() : InputShapes(NodeOf(node), separator);
  }

  void WriteOps() {
    // A model without nodes: tfprof prints the row it made of the root, without a legend.
    if (model_.nodes().empty()) {
      text_ += OpRow(view_.Root());
      return;
    }
    text_ += Legend();
    for (const uint32_t row : view_.Root().shown_children) text_ += OpRow(view_.nodes[row]);
  }

  // The share of this row and all rows after it, and the share of the row itself.
  std::string Percent(const ViewNode& node, int64_t Stats::* member, bool any) const {
    const auto whole = static_cast<double>(view_.Root().total.*member);
    double running = 0;
    double own = 0;
    if (any) {
      running = 100.0 * static_cast<double>(node.total.*member) / whole;
      own = 100.0 * static_cast<double>(node.self.*member) / whole;
    }
    return fmt::format(" ({:.2f}%, {:.2f}%)", running, own);
  }

  std::string OpCell(const ViewNode& node, int64_t Stats::* member, std::string number) const {
    return Right(std::move(number) + Percent(node, member, node.total.*member > 0), kOpCellWidth);
  }

  std::string OpRow(const ViewNode& node) const {
    std::vector<std::string> cells;
    for (const MemoryColumn& memory : kMemoryColumns) {
      if (!Selects(memory.column)) continue;
      cells.push_back(Right(FormatBytes(node.self.*memory.member) +
                                Percent(node, memory.member, node.self.*memory.member > 0),
                            kOpCellWidth));
    }
    const auto micros = [&](int64_t Stats::* member) {
      cells.push_back(OpCell(node, member, FormatMicros(node.self.*member)));
    };
    const TimeColumns& times = times_;
    if (times.total) micros(&Stats::micros);
    if (times.accelerator) micros(&Stats::accelerator_micros);
    if (times.cpu) micros(&Stats::cpu_micros);
    if (Selects(Column::kParams)) {
      cells.push_back(
          OpCell(node, &Stats::parameters, FormatCount(node.self.parameters) + " params"));
    }
    if (Selects(Column::kFloatOps)) {
      cells.push_back(
          OpCell(node, &Stats::float_ops, FormatCount(node.self.float_ops) + " float_ops"));
    }
    if (Selects(Column::kDevice)) cells.push_back(Joined(node.devices));
    if (Selects(Column::kOpTypes)) cells.push_back(Joined(node.types));
    if (Selects(Column::kOccurrence)) {
      int64_t runs = 0;
      for (const int32_t member : node.members) {
        runs +=
            model_.StatsOf(model_.nodes()[static_cast<size_t>(member)], options_.step).run_count;
      }
      cells.push_back(Right(fmt::format("{}|{}", runs, node.members.size()), kOccurrenceWidth));
    }
    std::string row = Left(node.name, kOpNameWidth) + fmt::format("{}\n", fmt::join(cells, ", "));
    if (Selects(Column::kInputShapes) && !node.members.empty()) {
      row += fmt::format("\n{}\n\n", OpInputShapes(node));
    }
    return row;
  }

  std::string OpInputShapes(const ViewNode& node) const {
    struct Uses {
      int64_t defined = 0;
      int64_t runs = 0;
      int64_t micros = 0;
    };
    std::map<std::string, Uses> by_shapes;
    for (const int32_t member : node.members) {
      const Node& source = model_.nodes()[static_cast<size_t>(member)];
      if (model_.saw_shapes()) {
        for (const SeenShapes& seen : model_.ShapesSeen(source, options_.step)) {
          Uses& uses = by_shapes[std::string(model_.Text(seen.text))];
          ++uses.defined;
          uses.runs += seen.runs;
          uses.micros += seen.micros;
        }
        continue;
      }
      const Stats stats = model_.StatsOf(source, options_.step);
      Uses& uses = by_shapes[InputShapes(source, ",\t")];
      ++uses.defined;
      uses.runs += stats.run_count;
      uses.micros += stats.micros;
    }
    std::vector<std::pair<std::string, Uses>> rows(by_shapes.begin(), by_shapes.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.runs > b.second.runs; });
    std::string text;
    for (const auto& [shapes, uses] : rows) {
      if (!text.empty()) text += '\n';
      text += fmt::format("input_type: {}\t(run*{}|defined*{})\texec_time: {}", shapes, uses.runs,
                          uses.defined, FormatMicros(uses.micros));
    }
    return text;
  }

  const Model& model_;
  const View& view_;
  const Options& options_;
  const TimeColumns times_;
  std::array<bool, kColumnNames.size()> selected_{};  // looked at for every cell
  const TensorText& tensor_text_;
  std::string text_;
};

}  // namespace

std::string ViewText(const Model& model, const View& view, const Options& options,
                     const TensorText& tensor_text) {
  return Writer(model, view, options, tensor_text).Write();
}

}  // namespace stepscope::tfprof
