#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// Appends comma-separated values to a string as RFC 4180 has them (lines end in "\n"): fields with
// a comma, quote or line end are quoted. Unknown values are empty fields. Texts come from files, so
// a cell that a spreadsheet would run (it begins with = + - @ and is no number) gets an apostrophe
// in front, and control characters and bidirectional overrides become U+FFFD; KeepCsvRaw() leaves
// both out.
class CsvWriter {
 public:
  explicit CsvWriter(std::string& out) : out_(out) {}

  void Header(std::initializer_list<std::string_view> titles);
  void Field(std::string_view text);
  void Field(double value);
  void Field(std::integral auto value) {
    if constexpr (std::signed_integral<decltype(value)>) {
      Signed(value);
    } else {
      Unsigned(value);
    }
  }
  template <typename T>
  void Field(const std::optional<T>& value) {
    value ? Field(*value) : Field(std::string_view());
  }
  void EndRow();

  // All fields of a row at once.
  template <typename... Fields>
  void Row(const Fields&... fields) {
    (Field(fields), ...);
    EndRow();
  }

 private:
  void Separate();
  void Signed(int64_t value);
  void Unsigned(uint64_t value);

  std::string& out_;
  bool row_empty_ = true;
};

// For all CSV of the process from now on (--raw-csv).
void KeepCsvRaw();

struct CsvTable {
  std::string file_name;  // "ops.csv"
  std::string text;
};

}  // namespace stepscope
