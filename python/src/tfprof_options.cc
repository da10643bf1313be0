#include "tfprof_options.h"

#include <string>

#include "read/protobuf/wire.h"

namespace stepscope::python {
namespace {

using tfprof::Options;

// The fields of OptionsProto that are numbers.
int64_t* NumberOf(Options& options, uint32_t field) {
  switch (field) {
    case 1:
      return &options.max_depth;
    case 2:
      return &options.min_bytes;
    case 3:
      return &options.min_micros;
    case 4:
      return &options.min_params;
    case 5:
      return &options.min_float_ops;
    case 17:
      return &options.min_occurrence;
    case 18:
      return &options.step;
    case 19:
      return &options.min_peak_bytes;
    case 20:
      return &options.min_residual_bytes;
    case 21:
      return &options.min_output_bytes;
    case 22:
      return &options.min_accelerator_micros;
    case 23:
      return &options.min_cpu_micros;
    default:
      return nullptr;
  }
}

std::vector<std::string>* ListOf(Options& options, uint32_t field) {
  switch (field) {
    case 8:
      return &options.account_type_regexes;
    case 9:
      return &options.start_name_regexes;
    case 10:
      return &options.trim_name_regexes;
    case 11:
      return &options.show_name_regexes;
    case 12:
      return &options.hide_name_regexes;
    default:
      return nullptr;
  }
}

Options EmptyOptions() {
  Options options;
  options.max_depth = 0;
  options.step = 0;
  options.order_by.clear();
  options.account_type_regexes.clear();
  options.start_name_regexes.clear();
  options.show_name_regexes.clear();
  options.select.clear();
  return options;
}

}  // namespace

Result<Options> ParseTfprofOptions(std::string_view message) {
  Options options = EmptyOptions();
  std::string output;
  std::string dump_to_file;
  WireReader reader(message);
  while (reader.Next()) {
    if (int64_t* number = NumberOf(options, reader.field())) {
      *number = reader.Signed();
    } else if (std::vector<std::string>* list = ListOf(options, reader.field())) {
      list->emplace_back(reader.Bytes());
    } else if (reader.field() == 7) {
      options.order_by = reader.Bytes();
    } else if (reader.field() == 13) {
      options.account_displayed_op_only = reader.Bool();
    } else if (reader.field() == 14) {
      options.select.emplace(reader.Bytes());
    } else if (reader.field() == 15) {
      output = reader.Bytes();
    } else if (reader.field() == 16) {
      dump_to_file = reader.Bytes();
    }
  }
  if (!reader.ok()) return Fail(ErrorCode::kUsage, "the options cannot be read");
  if (!dump_to_file.empty()) output = "file:outfile=" + dump_to_file;
  Result<tfprof::Output> parsed = tfprof::ParseOutput(output);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  options.output = std::move(*parsed);
  return options;
}

}  // namespace stepscope::python
