#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"

namespace stepscope {

// Appends JSON to a string, front to back. Integers are written digit for digit, doubles in the
// shortest form that reads back the same (NaN and infinities as null), strings escaped, with bytes
// that are no UTF-8 as U+FFFD. The caller balances Begin and End; commas and line ends come by
// themselves. Roughly 500 MB/s; no allocation but the string's own growth.
class JsonWriter {
 public:
  // kLines puts each member on a line of its own, kInline keeps all on one: a table is an array of
  // lines with inline rows, easy to diff and grep.
  enum class Layout : uint8_t { kInline, kLines };

  // Messages are written in that language.
  explicit JsonWriter(std::string& out, Language language = Language::kEnglish)
      : out_(out), language_(language) {}

  void BeginObject(Layout layout = Layout::kInline) { Begin('{', layout); }
  void EndObject() { End('}'); }
  void BeginArray(Layout layout = Layout::kInline) { Begin('[', layout); }
  void EndArray() { End(']'); }
  void Key(std::string_view key);

  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(bool value);
  void Value(double value);
  void Value(std::nullptr_t);
  void Value(std::integral auto value) {
    if constexpr (std::signed_integral<decltype(value)>) {
      Signed(value);
    } else {
      Unsigned(value);
    }
  }
  void Value(const Message& message) { Value(Render(message, language_)); }
  void Value(const Messages& messages) { Value(Render(messages, language_)); }
  template <typename T>
  void Value(const std::optional<T>& value) {
    value ? Value(*value) : Value(nullptr);
  }
  // `id` and `args` of a message, as members of an open object.
  void IdAndArgs(const Message& message);
  Language language() const { return language_; }
  // Text that is JSON already.
  void Raw(std::string_view json);

  template <typename T>
  void Field(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }
  // An array of objects: `write(row)` writes the members of one.
  template <typename Rows, typename Write>
  void Objects(std::string_view key, Layout layout, const Rows& rows, Write write) {
    Key(key);
    BeginArray(layout);
    for (const auto& row : rows) {
      BeginObject();
      write(row);
      EndObject();
    }
    EndArray();
  }
  template <typename Rows, typename Write>
  void Objects(std::string_view key, const Rows& rows, Write write) {
    Objects(key, Layout::kInline, rows, write);
  }

 private:
  struct Level {
    Layout layout;
    bool empty;
  };

  void Begin(char bracket, Layout layout);
  void End(char bracket);
  void BeforeValue();
  void NewLine();
  void Quoted(std::string_view text);
  void Signed(int64_t value);
  void Unsigned(uint64_t value);

  std::string& out_;
  Language language_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

// The text as a JSON string.
std::string JsonString(std::string_view text);

}  // namespace stepscope
