#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope::tfprof {

// The columns of -select.
enum class Column : uint8_t {
  kBytes,
  kMicros,
  kParams,
  kFloatOps,
  kTensorValue,
  kDevice,
  kOpTypes,
  kOccurrence,
  kInputShapes,
  kAcceleratorMicros,
  kCpuMicros,
  kPeakBytes,
  kResidualBytes,
  kOutputBytes
};
inline constexpr std::array<std::string_view, 14> kColumnNames{
    "bytes",      "micros",     "params",         "float_ops",    "tensor_value",
    "device",     "op_types",   "occurrence",     "input_shapes", "accelerator_micros",
    "cpu_micros", "peak_bytes", "residual_bytes", "output_bytes"};

// The keys of -order_by, as tfprof lists them.
inline constexpr std::array<std::string_view, 11> kOrderNames{
    "name",         "bytes",     "peak_bytes",         "residual_bytes",
    "output_bytes", "micros",    "accelerator_micros", "cpu_micros",
    "params",       "float_ops", "occurrence"};

// Where the result goes: `type[:key=value,…]`.
struct Output {
  std::string type;  // stdout, file, timeline, pprof, none
  std::map<std::string, std::string> settings;

  std::string_view outfile() const;
};
// With TensorFlow's words when the text is wrong.
Result<Output> ParseOutput(std::string_view text);

// tfprof's options with the defaults of its command line. Names and meaning: docs/view.md.
struct Options {
  int64_t max_depth = 10;
  int64_t min_bytes = 0;
  int64_t min_peak_bytes = 0;
  int64_t min_residual_bytes = 0;
  int64_t min_output_bytes = 0;
  int64_t min_micros = 0;
  int64_t min_accelerator_micros = 0;
  int64_t min_cpu_micros = 0;
  int64_t min_params = 0;
  int64_t min_float_ops = 0;
  int64_t min_occurrence = 0;
  int64_t step = -1;
  std::string order_by = "name";
  std::vector<std::string> account_type_regexes{".*"};
  std::vector<std::string> start_name_regexes{".*"};
  std::vector<std::string> trim_name_regexes;
  std::vector<std::string> show_name_regexes{".*"};
  std::vector<std::string> hide_name_regexes;
  bool account_displayed_op_only = false;
  std::set<std::string> select{"micros"};
  Output output{"stdout", {}};

  bool Selects(Column column) const {
    return select.contains(std::string(kColumnNames[static_cast<size_t>(column)]));
  }
};

// A number of Options by the name it has on the command line, or nullptr.
int64_t* NumberOption(Options& options, std::string_view name);
// A list of regexes by name, or nullptr.
std::vector<std::string>* RegexOption(Options& options, std::string_view name);
// Every option name, in the order tfprof prints them.
std::span<const std::string_view> OptionNames();

inline constexpr std::array<std::string_view, 3> kPresetNames{"trainable_variables_parameter",
                                                              "float_operation", "time_and_memory"};
// Presets of TensorFlow's option builder; an Error with the names when there is none of that name.
Result<Options> PresetOptions(std::string_view name);

}  // namespace stepscope::tfprof
