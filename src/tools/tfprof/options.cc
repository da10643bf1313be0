#include "tools/tfprof/options.h"

#include <algorithm>

namespace stepscope::tfprof {
namespace {

constexpr std::array<std::string_view, 21> kOptionNames{"max_depth",
                                                        "min_bytes",
                                                        "min_peak_bytes",
                                                        "min_residual_bytes",
                                                        "min_output_bytes",
                                                        "min_micros",
                                                        "min_accelerator_micros",
                                                        "min_cpu_micros",
                                                        "min_params",
                                                        "min_float_ops",
                                                        "min_occurrence",
                                                        "step",
                                                        "order_by",
                                                        "account_type_regexes",
                                                        "start_name_regexes",
                                                        "trim_name_regexes",
                                                        "show_name_regexes",
                                                        "hide_name_regexes",
                                                        "account_displayed_op_only",
                                                        "select",
                                                        "output"};

struct NumberRow {
  std::string_view name;
  int64_t Options::* member;
};
constexpr std::array<NumberRow, 12> kNumbers{{
    {"max_depth", &Options::max_depth},
    {"min_bytes", &Options::min_bytes},
    {"min_peak_bytes", &Options::min_peak_bytes},
    {"min_residual_bytes", &Options::min_residual_bytes},
    {"min_output_bytes", &Options::min_output_bytes},
    {"min_micros", &Options::min_micros},
    {"min_accelerator_micros", &Options::min_accelerator_micros},
    {"min_cpu_micros", &Options::min_cpu_micros},
    {"min_params", &Options::min_params},
    {"min_float_ops", &Options::min_float_ops},
    {"min_occurrence", &Options::min_occurrence},
    {"step", &Options::step},
}};

struct RegexRow {
  std::string_view name;
  std::vector<std::string> Options::* member;
};
constexpr std::array<RegexRow, 5> kRegexes{{
    {"account_type_regexes", &Options::account_type_regexes},
    {"start_name_regexes", &Options::start_name_regexes},
    {"trim_name_regexes", &Options::trim_name_regexes},
    {"show_name_regexes", &Options::show_name_regexes},
    {"hide_name_regexes", &Options::hide_name_regexes},
}};

// By text, as tfprof lists them in its messages.
constexpr std::array<std::string_view, 5> kOutputTypes{"file", "none", "pprof", "stdout",
                                                       "timeline"};

bool WantsOutfile(std::string_view type) {
  return type == "file" || type == "timeline" || type == "pprof";
}

}  // namespace

int64_t* NumberOption(Options& options, std::string_view name) {
  for (const NumberRow& row : kNumbers) {
    if (row.name == name) return &(options.*row.member);
  }
  return nullptr;
}

std::vector<std::string>* RegexOption(Options& options, std::string_view name) {
  for (const RegexRow& row : kRegexes) {
    if (row.name == name) return &(options.*row.member);
  }
  return nullptr;
}

std::span<const std::string_view> OptionNames() { return kOptionNames; }

std::string_view Output::outfile() const {
  const auto found = settings.find("outfile");
  return found == settings.end() ? std::string_view{} : std::string_view(found->second);
}

Result<Output> ParseOutput(std::string_view text) {
  const size_t colon = text.find(':');
  Output output{std::string(text.substr(0, colon)), {}};
  if (text.empty()) output.type = "stdout";
  if (std::find(kOutputTypes.begin(), kOutputTypes.end(), output.type) == kOutputTypes.end()) {
    return Fail(ErrorCode::kUsage, "E.g. Unknown output type: " + output.type +
                                       ", Valid types: file,none,pprof,stdout,timeline");
  }
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == pair.size()) {
      return Fail(ErrorCode::kUsage, "Visualize format: -output timeline:key=value,key=value,...");
    }
    const std::string key(pair.substr(0, equals));
    if (key != "outfile" || !WantsOutfile(output.type)) {
      return Fail(ErrorCode::kUsage,
                  "Unrecognized options " + key + " for output_type: " + output.type);
    }
    output.settings[key] = pair.substr(equals + 1);
  }
  if (WantsOutfile(output.type) && output.outfile().empty()) {
    return Fail(ErrorCode::kUsage, "Missing required output_options for " + output.type, {},
                "E.g. -output " + output.type + ":outfile=...");
  }
  return output;
}

Result<Options> PresetOptions(std::string_view name) {
  Options options;
  options.max_depth = 10000;
  options.account_displayed_op_only = true;
  if (name == "trainable_variables_parameter") {
    options.account_type_regexes = {"_trainable_variables"};
    options.select = {"params"};
    return options;
  }
  if (name == "float_operation") {
    options.min_float_ops = 1;
    options.order_by = "float_ops";
    options.select = {"float_ops"};
    return options;
  }
  if (name == "time_and_memory") {
    options.min_micros = 1;
    options.min_bytes = 1;
    options.order_by = "micros";
    options.select = {"micros", "bytes"};
    return options;
  }
  return Fail(ErrorCode::kUsage, "no preset '" + std::string(name) + "'", {},
              "give trainable_variables_parameter, float_operation or time_and_memory");
}

}  // namespace stepscope::tfprof
