#include "present/csv.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "present/unicode.h"

namespace stepscope {
namespace {

bool raw = false;

bool IsNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

// Spreadsheets take these at the front for a formula, also behind a tab or a line end.
bool BeginsFormula(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r\n";
  return !text.empty() && kFormula.contains(text[0]) && !IsNumber(text);
}

bool NeedsDisarming(std::string_view text) {
  return BeginsFormula(text) || !IsSafeText(text, Sgr::kNot);
}

std::string Disarmed(std::string_view text) {
  std::string cell = SafeText(text, Sgr::kNot);
  return BeginsFormula(cell) ? "'" + cell : cell;
}

}  // namespace

void KeepCsvRaw() { raw = true; }

void CsvWriter::Header(std::initializer_list<std::string_view> titles) {
  for (const std::string_view title : titles) Field(title);
  EndRow();
}

void CsvWriter::Field(std::string_view text) {
  Separate();
  std::string disarmed;
  if (!raw && NeedsDisarming(text)) text = disarmed = Disarmed(text);
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
