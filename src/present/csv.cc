#include "present/csv.h"

#include <fmt/format.h>

#include <iterator>

namespace stepscope {

void CsvWriter::Header(std::initializer_list<std::string_view> titles) {
  for (const std::string_view title : titles) Field(title);
  EndRow();
}

void CsvWriter::Field(std::string_view text) {
  Separate();
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    out_ += text;
    return;
  }
  out_ += '"';
  for (const char c : text) {
    if (c == '"') out_ += '"';
    out_ += c;
  }
  out_ += '"';
}

void CsvWriter::Signed(int64_t value) {
  Separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void CsvWriter::Unsigned(uint64_t value) {
  Separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void CsvWriter::Field(double value) {
  Separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void CsvWriter::EndRow() {
  out_ += '\n';
  row_empty_ = true;
}

void CsvWriter::Separate() {
  if (!row_empty_) out_ += ',';
  row_empty_ = false;
}

}  // namespace stepscope
