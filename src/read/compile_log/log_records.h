#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::compile_log {

// The records of a TORCH_TRACE log, from front to back. A record is a line with a JSON object; the
// lines after it that begin with a tab are its payload.
class LogRecords {
 public:
  explicit LogRecords(std::string_view text) : rest_(text) {}

  bool Next();
  std::string_view json() const { return json_; }
  // The payload with the tab at the start of each line removed.
  const std::string& payload() const { return payload_; }
  // Lines that are no record and no payload of one.
  uint64_t damaged() const { return damaged_; }

 private:
  std::string_view TakeLine();

  std::string_view rest_;
  std::string_view json_;
  std::string payload_;
  uint64_t damaged_ = 0;
};

// The JSON of a record's line; empty for any other line.
std::string_view JsonOfLine(std::string_view line);

}  // namespace stepscope::compile_log
