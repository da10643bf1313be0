#include "tools/tfprof/view_options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/memory_limit.h"
#include "base/nearest.h"
#include "command/damage.h"
#include "present/csv.h"
#include "tools/tfprof/advise.h"
#include "tools/tfprof/regexes.h"

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 5> kViews{"scope", "graph", "op", "code", "advise"};
constexpr std::array<std::string_view, 5> kInputNames{"graph_path", "run_meta_path", "op_log_path",
                                                      "checkpoint_path", "profile_path"};
constexpr std::array<std::string_view, 7> kFlags{"json", "csv",    "ascii",  "wall",
                                                 "help", "strict", "raw_csv"};
constexpr std::array<std::string_view, 8> kOwnNames{"preset",   "color",         "width",
                                                    "checkers", "write_profile", "dump_to_file",
                                                    "trace",    "memory_limit"};

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> SplitList(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'";
  const size_t first = text.find_first_not_of(kQuotes);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(kQuotes) - first + 1);
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    if (!item.empty()) items.emplace_back(item);
    text.remove_prefix(std::min(text.size(), item.size() + 1));
  }
  return items;
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> ParseBool(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view yes : {"true", "t", "yes", "y", "1"}) {
    if (lower == yes) return true;
  }
  for (const std::string_view no : {"false", "f", "no", "n", "0"}) {
    if (lower == no) return false;
  }
  return std::nullopt;
}

std::unexpected<Error> InvalidValue(std::string_view name, std::string_view value) {
  return Fail(ErrorCode::kUsage, fmt::format("Invalid option '-{}' value: '{}'", name, value), {},
              "see stepscope view --help");
}

class Parser {
 public:
  explicit Parser(ViewRequest& request) : request_(request) {}

  Result<void> Parse(std::span<const std::string_view> words) {
    // The preset first, wherever it stands, so that options beside it win over it.
    if (Result<void> preset = TakePreset(words); !preset) return preset;
    for (size_t i = 0; i < words.size(); ++i) {
      Result<size_t> taken = Take(words, i);
      if (!taken) return std::unexpected(std::move(taken.error()));
      i += *taken;
    }
    AddHints();
    return {};
  }

 private:
  struct Option {
    std::string name;
    std::optional<std::string_view> value;  // after '='
  };

  static std::optional<Option> OptionOf(std::string_view word) {
    if (word.size() < 2 || word[0] != '-') return std::nullopt;
    word.remove_prefix(word[1] == '-' ? 2 : 1);
    Option option;
    const size_t equals = word.find('=');
    option.name = word.substr(0, equals);
    std::replace(option.name.begin(), option.name.end(), '-', '_');
    if (equals != std::string_view::npos) option.value = word.substr(equals + 1);
    return option;
  }

  Result<void> TakePreset(std::span<const std::string_view> words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const std::optional<Option> option = OptionOf(words[i]);
      if (!option || option->name != "preset") continue;
      const std::string_view name = option->value          ? *option->value
                                    : i + 1 < words.size() ? words[i + 1]
                                                           : std::string_view{};
      Result<tfprof::Options> preset = tfprof::PresetOptions(name);
      if (!preset) return std::unexpected(std::move(preset.error()));
      request_.options = std::move(*preset);
    }
    return {};
  }

  // Returns how many further words the option took.
  Result<size_t> Take(std::span<const std::string_view> words, size_t at) {
    const std::optional<Option> option = OptionOf(words[at]);
    if (!option) {
      TakePositional(words[at]);
      return size_t{0};
    }
    if (option->name == "h") {
      request_.help = true;
      return size_t{0};
    }
    if (Contains(kFlags, option->name)) {
      TakeFlag(option->name);
      return size_t{0};
    }
    if (!Known(option->name)) return Unknown(option->name);
    const bool next = !option->value && at + 1 < words.size();
    if (option->name == "account_displayed_op_only" && !option->value &&
        (!next || words[at + 1].starts_with('-') || !ParseBool(words[at + 1]))) {
      request_.options.account_displayed_op_only = true;
      return size_t{0};
    }
    if (!option->value && !next) {
      return Fail(ErrorCode::kUsage, fmt::format("-{} needs a value", option->name), {},
                  "see stepscope view --help");
    }
    const std::string_view value = next ? words[at + 1] : *option->value;
    if (Result<void> set = Set(option->name, value); !set) {
      return std::unexpected(std::move(set.error()));
    }
    return size_t{next ? 1u : 0u};
  }

  void TakePositional(std::string_view word) {
    if (request_.view.empty() && Contains(kViews, word)) {
      request_.view = word;
    } else {
      request_.inputs.paths.emplace_back(word);
    }
  }

  void TakeFlag(std::string_view name) {
    if (name == "json") request_.style.json = true;
    if (name == "csv") request_.csv = true;
    if (name == "ascii") request_.style.ascii = true;
    if (name == "wall") request_.wall = true;
    if (name == "help") request_.help = true;
    if (name == "strict") BeStrict();
    if (name == "raw_csv") KeepCsvRaw();
  }

  static bool Known(std::string_view name) { return Contains(ViewOptionNames(), name); }

  static std::unexpected<Error> Unknown(std::string_view name) {
    const std::vector<std::string_view> names = ViewOptionNames();
    const std::string_view nearest = Nearest(name, names);
    return Fail(
        ErrorCode::kUsage, fmt::format("there is no option -{}", name), {},
        nearest.empty() ? "see stepscope view --help" : fmt::format("did you mean -{}?", nearest));
  }

  Result<void> Set(std::string_view name, std::string_view value) {
    tfprof::Options& options = request_.options;
    if (int64_t* number = tfprof::NumberOption(options, name)) {
      const std::optional<int64_t> parsed = ParseNumber(value);
      if (!parsed) return InvalidValue(name, value);
      *number = *parsed;
    } else if (std::vector<std::string>* regexes = tfprof::RegexOption(options, name)) {
      *regexes = SplitList(value);
    } else if (name == "order_by") {
      options.order_by = value;
    } else if (name == "select") {
      const std::vector<std::string> columns = SplitList(value);
      options.select = {columns.begin(), columns.end()};
    } else if (name == "account_displayed_op_only") {
      const std::optional<bool> parsed = ParseBool(value);
      if (!parsed) return InvalidValue(name, value);
      options.account_displayed_op_only = *parsed;
    } else if (name == "output" || name == "dump_to_file") {
      return SetOutput(name, value);
    } else if (Contains(kInputNames, name)) {
      SetInput(name, value);
    } else {
      return SetOwn(name, value);
    }
    return {};
  }

  Result<void> SetOutput(std::string_view name, std::string_view value) {
    Result<tfprof::Output> output = name == "output"
                                        ? tfprof::ParseOutput(value)
                                        : tfprof::Output{"file", {{"outfile", std::string(value)}}};
    if (!output) return std::unexpected(std::move(output.error()));
    request_.options.output = std::move(*output);
    request_.output_given = true;
    return {};
  }

  void SetInput(std::string_view name, std::string_view value) {
    ViewInputs& inputs = request_.inputs;
    if (name == "graph_path") inputs.graph = value;
    if (name == "run_meta_path") inputs.run_metas = SplitList(value);
    if (name == "op_log_path") inputs.op_log = value;
    if (name == "checkpoint_path") inputs.checkpoint = value;
    if (name == "profile_path") inputs.profile = value;
  }

  Result<void> SetOwn(std::string_view name, std::string_view value) {
    if (name == "color") {
      if (value != "auto" && value != "always" && value != "never") {
        return InvalidValue(name, value);
      }
      request_.style.color = value;
    } else if (name == "width") {
      const std::optional<int64_t> width = ParseNumber(value);
      if (!width || *width < 0) return InvalidValue(name, value);
      request_.style.width = *width;
    } else if (name == "checkers") {
      request_.checkers = SplitList(value);
      for (const std::string& checker : request_.checkers) {
        if (!Contains(tfprof::kCheckers, checker)) {
          return Fail(ErrorCode::kUsage, "there is no checker '" + checker + "'", {},
                      fmt::format("give some of {}", fmt::join(tfprof::kCheckers, ", ")));
        }
      }
    } else if (name == "write_profile") {
      request_.write_profile = value;
    } else if (name == "memory_limit") {
      const std::optional<uint64_t> bytes = ParseMemorySize(value);
      if (!bytes) return InvalidValue(name, value);
      LimitMemory(*bytes);
    } else if (name == "trace") {
      request_.trace = value;
    }
    return {};
  }

  // Values that TensorFlow silently accepts and that have no effect.
  void AddHints() {
    const tfprof::Options& options = request_.options;
    if (!options.order_by.empty() && !Contains(tfprof::kOrderNames, options.order_by)) {
      request_.hints.push_back(fmt::format(
          "-order_by={} is not one of tfprof's keys, so rows are ordered by name; the keys are {}",
          options.order_by, fmt::join(tfprof::kOrderNames, ", ")));
    }
    for (const std::string& column : options.select) {
      if (Contains(tfprof::kColumnNames, column)) continue;
      const std::string_view nearest = Nearest(column, tfprof::kColumnNames);
      request_.hints.push_back(
          nearest.empty()
              ? fmt::format("-select has no column {}; it has {}", column,
                            fmt::join(tfprof::kColumnNames, ", "))
              : fmt::format("-select has no column {}; did you mean {}?", column, nearest));
    }
    for (const std::vector<std::string>* list :
         {&options.account_type_regexes, &options.start_name_regexes, &options.trim_name_regexes,
          &options.show_name_regexes, &options.hide_name_regexes}) {
      for (const std::string& fault : tfprof::FaultsOf(*list)) {
        request_.hints.push_back("a regex is not valid and matches nothing: " + fault);
      }
    }
  }

  ViewRequest& request_;
};

}  // namespace

std::vector<std::string_view> ViewOptionNames() {
  const auto options = tfprof::OptionNames();
  std::vector<std::string_view> names(options.begin(), options.end());
  names.insert(names.end(), kInputNames.begin(), kInputNames.end());
  names.insert(names.end(), kFlags.begin(), kFlags.end());
  names.insert(names.end(), kOwnNames.begin(), kOwnNames.end());
  return names;
}

bool IsViewCommand(std::string_view word) { return Contains(kViews, word); }

Result<ViewRequest> ParseViewRequest(std::span<char*> arguments) {
  ViewRequest request;
  const std::vector<std::string_view> words(arguments.begin(), arguments.end());
  if (Result<void> parsed = Parser(request).Parse(words); !parsed) {
    return std::unexpected(std::move(parsed.error()));
  }
  // A word that is not a file but nearly the name of a view was meant as a view.
  if (request.view.empty() && !request.inputs.paths.empty()) {
    const std::string& word = request.inputs.paths.front();
    const std::string_view nearest = Nearest(word, kViews);
    std::error_code ignored;
    if (!nearest.empty() && !std::filesystem::exists(word, ignored)) {
      return Fail(ErrorCode::kUsage, fmt::format("there is no view '{}'", word), {},
                  fmt::format("did you mean {}?", nearest));
    }
  }
  return request;
}

Result<ViewRequest> ParseViewLine(std::string_view line, const ViewRequest& stored) {
  ViewRequest request = stored;
  request.view.clear();
  request.hints.clear();
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t blank = std::min(line.find_first_of(" \t"), line.size());
    if (blank > 0) words.push_back(line.substr(0, blank));
    line.remove_prefix(std::min(line.size(), blank + 1));
  }
  if (Result<void> parsed = Parser(request).Parse(words); !parsed) {
    return std::unexpected(std::move(parsed.error()));
  }
  if (request.inputs.paths.size() > stored.inputs.paths.size()) {
    return Fail(ErrorCode::kUsage,
                fmt::format("'{}' is not an option", request.inputs.paths.back()), {},
                "options begin with a dash; the files were given at the start");
  }
  return request;
}

std::string ViewHelp() {
  return R"(usage: stepscope view [scope|graph|op|code|advise] [INPUTS] [OPTIONS] [PATH...]

TensorFlow's tf.profiler (tfprof): what each name scope, graph node, op type or line of Python
costs. Without a view it opens a prompt. docs/view.md explains every option and column.

  scope    by name scope            op       by op type
  graph    by data flow             code     by Python call stack
  advise   tfprof's checkers (-checkers A,B)

Inputs: a PATH (file, directory, any profile), or by name
  --graph_path=F            GraphDef, MetaGraphDef or SavedModel, binary or text
  --run_meta_path=A,B,C     RunMetadata of steps 0, 1, 2
  --op_log_path=F           OpLogProto: code traces, FLOPs, op types
  --checkpoint_path=P       prefix of a V2 checkpoint
  --profile_path=F          ProfileProto, instead of all of the above

Options (one or two dashes, '=' or a blank)
  -max_depth N              levels shown (10)
  -min_bytes, -min_peak_bytes, -min_residual_bytes, -min_output_bytes, -min_micros,
  -min_accelerator_micros, -min_cpu_micros, -min_params, -min_float_ops, -min_occurrence N
  -step N                   one step; -1 averages over the steps a node ran in
  -order_by KEY             name, or a column
  -account_type_regexes R,… which nodes count, by op type, device or op-log type
  -start_name_regexes R,…   -trim_name_regexes R,…   -show_name_regexes R,…
  -hide_name_regexes R,…    -account_displayed_op_only
  -select C,…               bytes micros params float_ops tensor_value device op_types occurrence
                            input_shapes accelerator_micros cpu_micros peak_bytes residual_bytes
                            output_bytes
  -output TYPE              stdout, file:outfile=F, timeline:outfile=F, pprof:outfile=F, none:
                            exactly what TensorFlow writes. Without it, a table.
  --preset NAME             trainable_variables_parameter, float_operation, time_and_memory
  --trace WHICH             one of several ranks, hosts or files, by rank, host or part of its
                            name. By default all, one table each.
  --wall                    time as the union of what ran, not the sum
  --write_profile F         everything read, as a ProfileProto
  --strict                  exit 1 when a file is cut or damaged
  --memory-limit SIZE       most memory to use, like 8G; --raw-csv: cells of CSV as they are
  --json --csv --ascii --color auto|always|never --width N

examples
  stepscope view scope logs/run1 -max_depth 3 -order_by micros
  stepscope view op --graph_path=graph.pb --run_meta_path=run_meta -select micros,occurrence
  stepscope view scope model/ --preset trainable_variables_parameter
)";
}

}  // namespace stepscope
