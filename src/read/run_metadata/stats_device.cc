#include "read/run_metadata/stats_device.h"

#include <algorithm>
#include <charconv>

namespace stepscope {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

int32_t NumberAfter(std::string_view text, std::string_view mark, int32_t otherwise) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return otherwise;
  const std::string_view digits = text.substr(at + mark.size());
  int32_t number = otherwise;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

bool IsTypeName(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

StatsDevice ParseStatsDevice(std::string_view name) {
  const std::string lower = Lower(name);
  StatsDevice device;
  device.gpu = lower.find("gpu:") != std::string::npos;
  device.index = NumberAfter(lower, device.gpu ? "gpu:" : "cpu:", 0);
  if (lower.find("stream:all") != std::string::npos) {
    device.rows = StatsRows::kAllStreams;
  } else if (lower.find("stream:") != std::string::npos) {
    device.rows = StatsRows::kStream;
    device.stream = NumberAfter(lower, "stream:", -1);
  } else if (lower.ends_with("/memcpy")) {
    device.rows = StatsRows::kCopies;
  } else if (lower.ends_with("/sync")) {
    device.rows = StatsRows::kSync;
  }
  return device;
}

std::string_view OpTypeOfLabel(std::string_view label) {
  const size_t equals = label.find(" = ");
  if (equals != std::string_view::npos) {
    const std::string_view rest = label.substr(equals + 3);
    const std::string_view type = rest.substr(0, rest.find('('));
    return IsTypeName(type) ? type : std::string_view{};
  }
  // TensorFlow 2 puts node and type of a kernel between "@@" and "#".
  const size_t marked = label.find("@@");
  std::string_view head = marked == std::string_view::npos
                              ? label.substr(0, label.find(' '))
                              : label.substr(marked + 2, label.find('#', marked) - marked - 2);
  const size_t colon = head.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view type = head.substr(colon + 1);
  type = type.substr(0, type.find(':'));
  return IsTypeName(type) ? type : std::string_view{};
}

std::string_view InputsOfLabel(std::string_view label) {
  const size_t equals = label.find(" = ");
  if (equals == std::string_view::npos) return {};
  const size_t open = label.find('(', equals);
  if (open == std::string_view::npos) return {};
  const size_t close = label.find(')', open);
  return label.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
}

std::string_view NextInputOfLabel(std::string_view& rest) {
  const size_t comma = rest.find(", ");
  std::string_view input = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
  if (input.starts_with('^')) return {};  // control input: no tensor
  const size_t colon = input.rfind(':');
  return input.substr(0, colon);
}

std::string_view NodeOfGpuRow(std::string_view row_name, std::string_view label) {
  const size_t marked = label.find("@@");
  if (marked != std::string_view::npos) {
    const std::string_view rest = label.substr(marked + 2);
    return rest.substr(0, rest.find(':'));
  }
  if (row_name.starts_with("MEMCPY") || row_name.starts_with("Memcpy")) {
    if (label.starts_with(row_name)) {  // "MEMCPYHtoD: node num_bytes: …"
      label.remove_prefix(std::min(row_name.size() + 2, label.size()));
    }
    return label.substr(0, label.find_first_of(": "));
  }
  return row_name.substr(0, row_name.find(':'));
}

}  // namespace stepscope
