#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

#include "tools/tfprof/text.h"

namespace stepscope::tfprof {
namespace {

constexpr std::string_view kTotalMicros =
    "total execution time: Sum of accelerator execution time and cpu execution time.";
constexpr std::string_view kAcceleratorMicros =
    "accelerator execution time: Time spent executing on the accelerator. This is normally "
    "measured by the actual hardware library.";
constexpr std::string_view kCpuMicros =
    "cpu execution time: The time from the start to the end of the operation. It's the sum of "
    "actual cpu run time plus the time that it spends waiting if part of computation is launched "
    "asynchronously.";

// By Column.
constexpr std::array<std::string_view, kColumnNames.size()> kColumnDocs{
    "requested bytes: The memory requested by the operation, accumulatively.",
    kTotalMicros,
    "param: Number of parameters (in the Variable).",
    "flops: Number of float operations. Note: Please read the implementation for the math behind "
    "it.",
    "tensor_value: Not supported now.",
    "device: which device is placed on.",
    "op_types: The attributes of the operation, includes the Kernel name device placed on and "
    "user-defined strings.",
    "occurrence: The number of times it occurs",
    "input shape: The shape of input tensors",
    kAcceleratorMicros,
    kCpuMicros,
    "peak bytes: The peak amount of memory that the operation is holding at some point.",
    "residual bytes: The memory not de-allocated after the operation finishes.",
    "output bytes: The memory that is output from the operation (not necessarily allocated by the "
    "operation)"};

std::string_view ViewDoc(ViewKind kind) {
  switch (kind) {
    case ViewKind::kScope:
    case ViewKind::kGraph:  // prints the scope view's words, too
      return "scope: The nodes in the model graph are organized by their names, which is "
             "hierarchical like filesystem.";
    case ViewKind::kCode:
      return "code: When python trace is available, the nodes are python lines and their are "
             "organized by the python call stack.";
    case ViewKind::kOp:
      return "op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes "
             "belonging to the same type are aggregated together.";
  }
  return {};
}

std::string ColumnDoc(std::string_view name) {
  for (size_t i = 0; i < kColumnNames.size(); ++i) {
    if (kColumnNames[i] != name) continue;
    if (static_cast<Column>(i) == Column::kMicros) {
      return fmt::format("{}\n{}\n{}", kTotalMicros, kCpuMicros, kAcceleratorMicros);
    }
    return std::string(kColumnDocs[i]);
  }
  return fmt::format("Unknown select: {}", name);
}

}  // namespace

std::string DocText(ViewKind kind, const Options& options, bool misses_accelerator_stream) {
  std::string text;
  if (misses_accelerator_stream) {
    text +=
        "\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
        "It's likely a gpu tracing issue rather than tf-profiler issue.\n"
        "If you found your operation missing accelerator time, "
        "consider to post to discuss@tensorflow.org!\n\n";
  }
  text += fmt::format("\nDoc:\n{}\n", ViewDoc(kind));
  std::string_view separator;
  for (const std::string& name : options.select) {
    text += separator;
    text += ColumnDoc(name);
    separator = "\n";
  }
  text += "\n\nProfile:\n";
  return text;
}

std::string OptionsFrame(const Options& options) {
  std::string text = "\n=========================Options=============================\n";
  Options numbers = options;
  for (const std::string_view name : OptionNames()) {
    std::string value;
    if (const int64_t* number = NumberOption(numbers, name)) {
      value = fmt::format("{}", *number);
    } else if (const std::vector<std::string>* regexes = RegexOption(numbers, name)) {
      value = fmt::format("{}", fmt::join(*regexes, ","));
    } else if (name == "order_by") {
      value = options.order_by;
    } else if (name == "account_displayed_op_only") {
      value = options.account_displayed_op_only ? "true" : "false";
    } else if (name == "select") {
      value = fmt::format("{}", fmt::join(options.select, ","));
    } else {
      value = options.output.type + ":";
      std::string_view separator;
      for (const auto& [key, setting] : options.output.settings) {
        value += fmt::format("{}{}={}", separator, key, setting);
        separator = ",";
      }
    }
    text += fmt::format("{:<28}{}\n", fmt::format("-{}", name), value);
  }
  return text + "\n==================Model Analysis Report======================\n";
}

std::string EndFrame() {
  return "\n======================End of Report==========================\n";
}

}  // namespace stepscope::tfprof
