#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/message.h"
#include "read/recording/format.h"

namespace stepscope {

// CLOCK_MONOTONIC, the clock of every time in a recording.
int64_t MonotonicNs();

// Appends blocks to one file of a recording (read/recording/format.h). Rows gather in memory until
// Flush; each block is written with one call, so that a killed recorder leaves whole blocks. A
// write that fails (a full disk) ends writing for good and never throws or prints: error() says
// why. Not thread-safe.
class RecordingWriter {
 public:
  RecordingWriter() = default;
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&& other) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) = delete;

  bool Open(const std::string& path);
  bool is_open() const { return fd_ >= 0; }
  const std::string& error() const { return error_; }

  void Fact(std::string_view key, std::string_view value);
  // What could not be recorded, and how to get it; the report shows it.
  void Missing(const Messages& sentence) { Fact("missing", InEnglish(sentence)); }
  void Clock();
  uint32_t String(std::string_view text);
  // The stack of a line under its caller's stack (kNoRow at the bottom).
  uint32_t Stack(uint32_t caller, std::string_view function, std::string_view file, int32_t line);
  void Sample(int64_t time, int64_t weight, uint64_t thread, uint32_t stack, bool waiting);
  void Counter(int64_t time, std::string_view name, std::string_view series, double value);
  void End(int64_t time, int32_t exit_code, int32_t signal);
  void Flush();

 private:
  struct Pending {
    std::string bytes;
    uint32_t rows = 0;
    int64_t first = 0, last = 0;
    void Add(int64_t time);
  };
  void Write(recording::BlockType type, Pending& pending);
  void Append(std::string_view bytes);

  int fd_ = -1;
  std::string error_;
  Pending facts_, strings_, stacks_, samples_, counters_;
  std::unordered_map<std::string, uint32_t> string_ids_;
  std::unordered_map<std::string, uint32_t> stack_ids_;
};

}  // namespace stepscope
