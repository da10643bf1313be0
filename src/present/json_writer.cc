#include "present/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "present/unicode.h"

namespace stepscope {
namespace {

// What may stand in a JSON string as it is: ASCII but quotes, backslash and control characters.
constexpr bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

void AppendEscaped(std::string& out, char32_t c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c));
  }
}

}  // namespace

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  Quoted(key);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::Value(std::string_view text) {
  BeforeValue();
  Quoted(text);
}

void JsonWriter::Value(bool value) { Raw(value ? "true" : "false"); }

void JsonWriter::Value(std::nullptr_t) { Raw("null"); }

void JsonWriter::Value(double value) {
  if (!std::isfinite(value)) return Value(nullptr);
  BeforeValue();
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void JsonWriter::IdAndArgs(const Message& message) {
  if (message.empty()) return;
  Field("id", message.id());
  Key("args");
  BeginObject();
  size_t place = 0;
  const std::string_view english = message.text()->english;
  for (std::string_view rest = english; !rest.empty();) {
    const TextPiece piece = TakePiece(rest);
    if (piece.name.empty() || PlaceOf(english, piece.name) != place) continue;
    const Argument& argument = message.arguments()[place++];
    if (const auto* duration = std::get_if<DurationNs>(&argument)) {
      Field(std::string(piece.name) + "_ns", duration->ns);
    } else if (const auto* nested = std::get_if<Messages>(&argument)) {
      Key(piece.name);
      BeginObject();
      for (const Message& one : *nested) IdAndArgs(one);
      EndObject();
    } else if (const auto* text = std::get_if<std::string>(&argument)) {
      Field(piece.name, std::string_view(*text));
    } else if (const auto* integer = std::get_if<int64_t>(&argument)) {
      Field(piece.name, *integer);
    } else {
      Field(piece.name, std::get<double>(argument));
    }
  }
  EndObject();
}

void JsonWriter::Raw(std::string_view json) {
  BeforeValue();
  out_ += json;
}

void JsonWriter::Signed(int64_t value) {
  BeforeValue();
  const fmt::format_int digits(value);
  out_.append(digits.data(), digits.size());
}

void JsonWriter::Unsigned(uint64_t value) {
  BeforeValue();
  const fmt::format_int digits(value);
  out_.append(digits.data(), digits.size());
}

void JsonWriter::Begin(char bracket, Layout layout) {
  BeforeValue();
  out_ += bracket;
  levels_.push_back({layout, true});
}

void JsonWriter::End(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Layout::kLines && !level.empty) NewLine();
  out_ += bracket;
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.layout == Layout::kLines ? "," : ", ";
  if (level.layout == Layout::kLines) NewLine();
  level.empty = false;
}

void JsonWriter::NewLine() {
  out_ += '\n';
  size_t depth = 0;
  for (const Level& level : levels_) depth += level.layout == Layout::kLines ? 1 : 0;
  out_.append(depth * 2, ' ');
}

void JsonWriter::Quoted(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    out_.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint c = DecodeUtf8(text);
    if (!c.valid) {
      out_ += kReplacementUtf8;
    } else if (c.value < 0x80 || IsControlCharacter(c.value)) {
      AppendEscaped(out_, c.value);
    } else {
      out_.append(text.substr(0, c.bytes));
    }
    text.remove_prefix(c.bytes);
  }
  out_ += '"';
}

std::string JsonString(std::string_view text) {
  std::string out;
  JsonWriter(out).Value(text);
  return out;
}

}  // namespace stepscope
