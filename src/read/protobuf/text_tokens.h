#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// Tokens of text protobuf, with the place each begins at. Comments and white space vanish.
class TextTokens {
 public:
  enum class Kind : uint8_t { kName, kNumber, kString, kPunctuation, kEnd, kBad };

  explicit TextTokens(std::string_view text) : text_(text) { Next(); }

  Kind kind() const { return kind_; }
  std::string_view text() const { return token_; }            // as the file spells it
  const std::string& string_value() const { return value_; }  // of kString: unescaped
  bool Is(char punctuation) const {
    return kind_ == Kind::kPunctuation && token_[0] == punctuation;
  }
  uint64_t offset() const { return start_; }
  // Nothing follows the current token.
  bool at_end() const { return at_ >= text_.size(); }
  // 1-based, of the current token. O(bytes before it).
  void Position(uint64_t& line, uint64_t& column) const;
  void Next();

 private:
  void SkipBlank();
  bool ReadString(char quote);
  bool ReadEscape();

  std::string_view text_;
  size_t at_ = 0;
  size_t start_ = 0;
  Kind kind_ = Kind::kEnd;
  std::string_view token_;
  std::string value_;
};

}  // namespace stepscope
