#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope::chrome_json {

// The file's text as the serial parts of the reader see it: what has been read and not yet used,
// refilled from the source. Bytes can be given back, as the event list does with what follows it.
class InputWindow {
 public:
  explicit InputWindow(ByteSource& source) : source_(source) {}

  // The unused text; more of it after Fill().
  std::string_view text() const { return std::string_view(text_).substr(used_); }
  void Consume(size_t bytes) { used_ += bytes; }
  // Reads on; false at the end of the file.
  bool Fill();
  // At least one unused byte.
  bool More() { return used_ < text_.size() || Fill(); }
  // The next byte after white space, or nothing at the end of the file.
  std::optional<char> Peek();
  uint64_t offset() const { return offset_ + used_; }

  // For readers of large pieces: reads straight into their buffer what the window does not hold.
  size_t ReadInto(std::span<char> into);
  // Puts `text`, which ended at the position reached, back in front.
  void GiveBack(std::string_view text);

  bool at_end() const { return ended_; }
  // Compressed data that ended in a fault.
  const std::optional<Error>& damage() const { return damage_; }
  double share() const;
  const ByteSource& source() const { return source_; }

 private:
  size_t ReadSource(std::span<char> into);

  ByteSource& source_;
  std::string text_;
  size_t used_ = 0;
  uint64_t offset_ = 0;  // of text_[0] in the file
  bool ended_ = false;
  std::optional<Error> damage_;
};

}  // namespace stepscope::chrome_json
