#include "tools/tfprof/advise.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tools/tfprof/view.h"

namespace stepscope::tfprof {
namespace {

constexpr size_t kTop = 3;

// tfprof's spelling of a time, which is part of its reports' words.
std::string Micros(int64_t micros) {
  const auto real = static_cast<double>(micros);
  if (micros < 1'000) return fmt::format("{}us", micros);
  if (micros < 1'000'000) return fmt::format("{:.2f}ms", real / 1e3);
  return fmt::format("{:.2f}sec", real / 1e6);
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

// Time on the accelerator over the span of the last step the node ran in.
std::vector<std::string> CheckUtilization(const Model& model) {
  struct Use {
    int64_t start = 0;
    int64_t end = 0;
    int64_t micros = 0;
  };
  std::map<std::string_view, Use> devices;
  for (const Node& node : model.nodes()) {
    if (node.runs.empty() || !IsOnAccelerator(model.Text(node.device))) continue;
    Use& use = devices[model.Text(node.device)];
    const NodeRun& run = node.runs.back();
    if (use.start == 0) {
      use.start = run.all_start;
    } else if (run.all_start != 0) {
      use.start = std::min(use.start, run.all_start);
    }
    use.end = std::max(use.end, run.latest_end);
    use.micros += run.accelerator_micros;
  }
  std::vector<std::string> reports;
  for (const auto& [device, use] : devices) {
    const int64_t span = use.end - use.start;
    if (span <= 0) continue;
    const double utilization = static_cast<double>(use.micros) / static_cast<double>(span);
    reports.push_back(fmt::format("device: {} {}utilization: {:.2f}", device,
                                  utilization >= 0.5 ? "" : "low ", utilization));
  }
  return reports;
}

std::vector<std::string> CheckOperations(const Model& model) {
  bool batch_norm = false;
  bool fused_batch_norm = false;
  bool channels_last = false;
  for (const Node& node : model.nodes()) {
    batch_norm |= node.name.find("BatchNorm") != std::string_view::npos;
    for (const StringId type : node.types) fused_batch_norm |= model.Text(type) == "FusedBatchNorm";
    channels_last |=
        IsOnAccelerator(model.Text(node.device)) && BytesAttr(node.attrs, "data_format") == "NHWC";
  }
  std::vector<std::string> reports;
  if (batch_norm && !fused_batch_norm) {
    reports.emplace_back("Maybe use faster FusedBatchNorm instead of BatchNorm");
  }
  if (channels_last) {
    reports.emplace_back("Found operation using NHWC data_format on GPU. Maybe NCHW is faster.");
  }
  return reports;
}

Options ExpensiveOptions(int64_t max_depth, int64_t min_micros) {
  Options options;
  options.max_depth = max_depth;
  options.min_micros = min_micros;
  options.order_by = "micros";
  return options;
}

std::string TopOperationTypes(const Model& model) {
  const View view = OpView(model, ExpensiveOptions(3, 1));
  const auto whole = static_cast<double>(view.Root().total.micros) + 1e-10;
  std::vector<std::string> lines;
  for (const uint32_t row : view.Root().shown_children) {
    if (lines.size() == kTop) break;
    const Stats& self = view.nodes[row].self;
    lines.push_back(
        fmt::format("top {} operation type: {}, cpu: {}, accelerator: {}, total: {} ({:.2f}%)",
                    lines.size() + 1, view.nodes[row].name, Micros(self.cpu_micros),
                    Micros(self.accelerator_micros), Micros(self.micros),
                    100.0 * static_cast<double>(self.micros) / whole));
  }
  return Joined(lines);
}

// tfprof prints a node's own times although it orders by totals.
std::string TopGraphNodes(const Model& model) {
  const View view = ScopeView(model, ExpensiveOptions(100, 100));
  std::vector<std::string> lines;
  for (const uint32_t row : view.Root().shown_children) {
    if (lines.size() == kTop) break;
    const Stats& self = view.nodes[row].self;
    lines.push_back(fmt::format("top {} graph node: {}, cpu: {}, accelerator: {}, total: {}",
                                lines.size() + 1, view.nodes[row].name, Micros(self.cpu_micros),
                                Micros(self.accelerator_micros), Micros(self.micros)));
  }
  return Joined(lines);
}

void AddCodeLines(const View& view, uint32_t row, size_t depth, std::vector<std::string>& lines) {
  constexpr size_t kDeepest = 3;
  constexpr int64_t kLeastMicros = 1000;
  const std::vector<uint32_t>& children = view.nodes[row].shown_children;
  if (children.size() <= 1 || depth > kDeepest) return;
  for (size_t i = 0; i < std::min(kTop, children.size()); ++i) {
    const ViewNode& child = view.nodes[children[i]];
    if (child.total.micros < kLeastMicros) continue;
    lines.push_back(
        fmt::format("{}{}, cpu: {}, accelerator: {}, total: {}", std::string(depth * 2, ' '),
                    child.name, Micros(child.total.cpu_micros),
                    Micros(child.total.accelerator_micros), Micros(child.total.micros)));
    AddCodeLines(view, children[i], depth + 1, lines);
  }
}

// Library code usually has one caller; the first frame with several children is the user's.
std::optional<std::string> TopCode(const Model& model) {
  const View view = CodeView(model, ExpensiveOptions(100, 1));
  uint32_t row = view.root;
  while (view.nodes[row].shown_children.size() == 1) row = view.nodes[row].shown_children[0];
  if (view.nodes[row].shown_children.empty()) return std::nullopt;
  std::vector<std::string> lines;
  AddCodeLines(view, row, 0, lines);
  return Joined(lines);
}

std::vector<std::string> CheckExpensive(const Model& model, std::vector<std::string>& notes) {
  std::vector<std::string> reports;
  if (model.steps().empty()) {
    notes.emplace_back("Missing RunMetadata info. Skip ExpensiveOperationChecker");
    notes.emplace_back("Missing run_meta for ExpensiveOperationChecker");
  } else if (std::string types = TopOperationTypes(model); !types.empty()) {
    reports.push_back(std::move(types));
  }
  if (std::string nodes = TopGraphNodes(model); !nodes.empty()) {
    reports.push_back(std::move(nodes));
  }
  if (!model.has_code()) {
    notes.emplace_back("Missing op_log (code traces) for ExpensiveOperationChecker");
  } else if (std::optional<std::string> code = TopCode(model)) {
    reports.push_back(std::move(*code));
  }
  return reports;
}

}  // namespace

Advice Advise(const Model& model, const std::vector<std::string>& wanted_checkers) {
  Advice advice;
  for (const std::string_view checker : kCheckers) {
    if (checker == "JobChecker" || std::find(wanted_checkers.begin(), wanted_checkers.end(),
                                             checker) == wanted_checkers.end()) {
      continue;
    }
    CheckerReport& report = advice.checkers.emplace_back();
    report.checker = checker;
    if (checker == "AcceleratorUtilizationChecker") {
      report.reports = CheckUtilization(model);
    } else if (checker == "OperationChecker") {
      report.reports = CheckOperations(model);
    } else {
      report.reports = CheckExpensive(model, advice.notes);
    }
  }
  return advice;
}

}  // namespace stepscope::tfprof
