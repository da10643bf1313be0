#include "read/protobuf/text_printer.h"

#include <fmt/core.h>

#include "read/protobuf/wire.h"

namespace stepscope {
namespace {

constexpr int kMaxDepth = 100;

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    constexpr std::string_view kEscaped = "\n\r\t\"'\\";
    constexpr std::string_view kLetters = "nrt\"'\\";
    const auto byte = static_cast<unsigned char>(c);
    if (const size_t at = kEscaped.find(c); at != std::string_view::npos) {
      out += '\\';
      out += kLetters[at];
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string ScalarText(const FieldDescriptor& field, const WireReader& value) {
  switch (field.type) {
    case FieldType::kBool:
      return value.Bool() ? "true" : "";
    case FieldType::kEnum:
      for (const EnumValue& each : field.values) {
        if (each.number == value.Signed()) return each.number == 0 ? "" : std::string(each.name);
      }
      return std::to_string(value.Signed());
    case FieldType::kFloat:
      return value.Float() == 0 ? "" : fmt::format("{}", value.Float());
    case FieldType::kDouble:
      return value.Double() == 0 ? "" : fmt::format("{}", value.Double());
    case FieldType::kBytes:
      return value.Bytes().empty() ? "" : '"' + Escaped(value.Bytes()) + '"';
    case FieldType::kInteger:
    case FieldType::kFixed32:
    case FieldType::kFixed64:
      return value.Unsigned() == 0 ? "" : std::to_string(value.Signed());
    case FieldType::kMessage:
      return "";
  }
  return "";
}

void Print(std::string_view bytes, const MessageDescriptor& message, int depth, std::string& out) {
  if (depth > kMaxDepth) return;
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  for (const FieldDescriptor& field : message.fields) {
    for (WireReader r(bytes); r.Next();) {
      if (r.field() != field.number) continue;
      if (field.type == FieldType::kMessage) {
        out += fmt::format("{}{} {{\n", indent, field.name);
        Print(r.Bytes(), *field.message, depth + 1, out);
        out += indent + "}\n";
      } else if (const std::string text = ScalarText(field, r); !text.empty()) {
        out += fmt::format("{}{}: {}\n", indent, field.name, text);
      }
    }
  }
}

}  // namespace

std::string PrintTextMessage(std::string_view bytes, const MessageDescriptor& message) {
  std::string out;
  Print(bytes, message, 0, out);
  return out;
}

}  // namespace stepscope
