#include "read/compile_log/log_records.h"

#include <algorithm>

namespace stepscope::compile_log {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "V1206 15:18:15.925000 ": level, month and day, time of day.
bool StartsRecord(std::string_view line) {
  constexpr std::string_view kShape = "V0000 00:00:00.000000 ";
  if (line.size() < kShape.size()) return false;
  constexpr std::string_view kLevels = "VDIWEC";
  if (kLevels.find(line[0]) == std::string_view::npos) return false;
  for (size_t i = 1; i < kShape.size(); ++i) {
    if (kShape[i] == '0' ? !IsDigit(line[i]) : line[i] != kShape[i]) return false;
  }
  return true;
}

}  // namespace

std::string_view JsonOfLine(std::string_view line) {
  if (!StartsRecord(line)) return {};
  constexpr std::string_view kBorder = "] {";
  const size_t border = line.find(kBorder);
  return border == std::string_view::npos ? std::string_view() : line.substr(border + 2);
}

std::string_view LogRecords::TakeLine() {
  const size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool LogRecords::Next() {
  json_ = {};
  payload_.clear();
  while (!rest_.empty() && json_.empty()) {
    const std::string_view line = TakeLine();
    json_ = JsonOfLine(line);
    if (json_.empty() && !line.empty()) ++damaged_;
  }
  if (json_.empty()) return false;
  while (rest_.starts_with('\t')) {
    if (!payload_.empty()) payload_ += '\n';
    payload_ += TakeLine().substr(1);
  }
  return true;
}

}  // namespace stepscope::compile_log
