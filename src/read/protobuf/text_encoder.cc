#include "read/protobuf/text_encoder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "read/protobuf/text_tokens.h"
#include "read/protobuf/wire_writer.h"
#include "words/quality.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQualityTexts, kReadTexts> Say;

using Kind = TextTokens::Kind;
constexpr int kMaxDepth = 100;

std::optional<uint64_t> ParseInteger(std::string_view digits) {
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<double> ParseReal(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower == "inf" || lower == "infinity") return std::numeric_limits<double>::infinity();
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (lower.size() > 1 && lower.back() == 'f') lower.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(lower.data(), lower.data() + lower.size(), value);
  if (error == std::errc::invalid_argument || end != lower.data() + lower.size())
    return std::nullopt;
  return value;
}

class Encoder {
 public:
  Encoder(std::string_view text, const std::string& file, Diagnostics& diagnostics)
      : tokens_(text), file_(file), diagnostics_(diagnostics) {}

  Result<std::string> Encode(const MessageDescriptor& message) {
    std::string out;
    if (Message(message, Kind::kEnd, '\0', 0, out)) return out;
    if (IsCut() && !out.empty()) {
      diagnostics_.Add(Diagnostic::kFileTruncated, 1, tokens_.offset(), fault_);
      return out;
    }
    uint64_t line = 0;
    uint64_t column = 0;
    tokens_.Position(line, column);
    Error error{ErrorCode::kDamaged, Say("read.text-place", line, column, fault_), file_,
                tokens_.offset(), Say("read.text-check", message.name)};
    return std::unexpected(std::move(error));
  }

 private:
  // The fault is that the text ends: what stood before it is good.
  bool IsCut() const {
    return tokens_.kind() == Kind::kEnd || (tokens_.kind() == Kind::kBad && tokens_.at_end());
  }

  bool Stop(Messages fault) {
    if (fault_.empty()) fault_ = std::move(fault);
    return false;
  }

  // Fields up to the closing token, which is consumed by the caller.
  bool Message(const MessageDescriptor& message, Kind end, char close, int depth,
               std::string& out) {
    if (depth > kMaxDepth) return Stop(Say("read.text-deep", kMaxDepth));
    while (true) {
      if (tokens_.kind() == Kind::kEnd) {
        return end == Kind::kEnd || Stop(Say("read.text-ends", message.name));
      }
      if (end != Kind::kEnd && tokens_.Is(close)) return true;
      if (!Field(message, depth, out)) return false;
      if (tokens_.Is(',') || tokens_.Is(';')) tokens_.Next();
    }
  }

  bool Field(const MessageDescriptor& message, int depth, std::string& out) {
    if (tokens_.Is('[')) return SkipExtension(message, depth);
    if (tokens_.kind() != Kind::kName) {
      return Stop(Say("read.text-name-of", message.name, tokens_.text().substr(0, 40)));
    }
    const FieldDescriptor* field = message.Find(tokens_.text());
    if (field == nullptr) {
      diagnostics_.Add(Diagnostic::kUnknownFields, 1, tokens_.offset(),
                       std::string(message.name) + "." + std::string(tokens_.text()));
      tokens_.Next();
      return SkipFieldValue(depth);
    }
    tokens_.Next();
    const bool colon = tokens_.Is(':');
    if (colon) tokens_.Next();
    if (!colon && field->type != FieldType::kMessage) {
      return Stop(Say("read.text-after", ":", field->name));
    }
    if (!tokens_.Is('[')) return Value(*field, depth, out);
    tokens_.Next();
    while (!tokens_.Is(']')) {
      if (!Value(*field, depth, out)) return false;
      if (tokens_.Is(',')) {
        tokens_.Next();
      } else if (!tokens_.Is(']')) {
        return Stop(Say("read.text-list", field->name));
      }
    }
    tokens_.Next();
    return true;
  }

  bool Value(const FieldDescriptor& field, int depth, std::string& out) {
    if (field.type == FieldType::kMessage) return NestedMessage(field, depth, out);
    if (field.type == FieldType::kBytes) return Bytes(field, out);
    const bool negative = tokens_.Is('-');
    if (negative) tokens_.Next();
    if (tokens_.kind() != Kind::kName && tokens_.kind() != Kind::kNumber) {
      return Stop(Say("read.text-value-of", field.name));
    }
    if (!Scalar(field, negative, out)) {
      return Stop(Say("read.text-no-value", tokens_.text().substr(0, 40), field.name));
    }
    tokens_.Next();
    return true;
  }

  bool NestedMessage(const FieldDescriptor& field, int depth, std::string& out) {
    const char close = tokens_.Is('{') ? '}' : '>';
    if (!tokens_.Is('{') && !tokens_.Is('<')) {
      return Stop(Say("read.text-after", "{", field.name));
    }
    tokens_.Next();
    std::string nested;
    const bool whole = Message(*field.message, Kind::kPunctuation, close, depth + 1, nested);
    if (!whole && (!IsCut() || nested.empty())) return false;
    WireWriter(out).Bytes(field.number, nested);
    if (whole) tokens_.Next();
    return whole;
  }

  bool Bytes(const FieldDescriptor& field, std::string& out) {
    if (tokens_.kind() != Kind::kString) {
      return Stop(Say("read.text-string", field.name));
    }
    std::string value;
    for (; tokens_.kind() == Kind::kString; tokens_.Next()) value += tokens_.string_value();
    WireWriter(out).Bytes(field.number, value);
    return true;
  }

  bool Scalar(const FieldDescriptor& field, bool negative, std::string& out) {
    WireWriter writer(out);
    const std::string_view text = tokens_.text();
    switch (field.type) {
      case FieldType::kBool: {
        const bool yes = text == "true" || text == "True" || text == "t" || text == "1";
        const bool no = text == "false" || text == "False" || text == "f" || text == "0";
        if (yes || no) writer.Varint(field.number, yes ? 1 : 0);
        return (yes || no) && !negative;
      }
      case FieldType::kEnum:
        for (const EnumValue& value : field.values) {
          if (value.name != text) continue;
          writer.Signed(field.number, value.number);
          return !negative;
        }
        [[fallthrough]];
      case FieldType::kInteger:
      case FieldType::kFixed32:
      case FieldType::kFixed64: {
        const std::optional<uint64_t> value = ParseInteger(text);
        if (!value) return false;
        const uint64_t bits = negative ? 0 - *value : *value;
        if (field.type == FieldType::kFixed32) {
          writer.Fixed32(field.number, static_cast<uint32_t>(bits));
        } else if (field.type == FieldType::kFixed64) {
          writer.Fixed64(field.number, bits);
        } else {
          writer.Varint(field.number, bits);
        }
        return true;
      }
      case FieldType::kFloat:
      case FieldType::kDouble: {
        const std::optional<double> value = ParseReal(text);
        if (!value) return false;
        const double real = negative ? -*value : *value;
        if (field.type == FieldType::kFloat) {
          writer.Float(field.number, static_cast<float>(real));
        } else {
          writer.Double(field.number, real);
        }
        return true;
      }
      case FieldType::kBytes:
      case FieldType::kMessage:
        return false;
    }
    return false;
  }

  // [type.googleapis.com/…] { … }: extensions and Any.
  bool SkipExtension(const MessageDescriptor& message, int depth) {
    diagnostics_.Add(Diagnostic::kUnknownFields, 1, tokens_.offset(),
                     Say("quality.extension", message.name));
    while (!tokens_.Is(']')) {
      if (tokens_.kind() == Kind::kEnd || tokens_.kind() == Kind::kBad) {
        return Stop(Say("read.text-bracket"));
      }
      tokens_.Next();
    }
    tokens_.Next();
    return SkipFieldValue(depth);
  }

  bool SkipFieldValue(int depth) {
    if (tokens_.Is(':')) tokens_.Next();
    if (!tokens_.Is('[')) return SkipValue(depth);
    tokens_.Next();
    while (!tokens_.Is(']')) {
      if (!SkipValue(depth)) return false;
      if (tokens_.Is(',')) tokens_.Next();
    }
    tokens_.Next();
    return true;
  }

  bool SkipValue(int depth) {
    if (depth > kMaxDepth) return Stop(Say("read.text-deep", kMaxDepth));
    if (tokens_.Is('-')) tokens_.Next();
    switch (tokens_.kind()) {
      case Kind::kString:
        while (tokens_.kind() == Kind::kString) tokens_.Next();
        return true;
      case Kind::kName:
      case Kind::kNumber:
        tokens_.Next();
        return true;
      case Kind::kPunctuation:
        if (tokens_.Is('{') || tokens_.Is('<')) return SkipMessage(depth + 1);
        [[fallthrough]];
      case Kind::kEnd:
      case Kind::kBad:
        return Stop(Say("read.text-value"));
    }
    return false;
  }

  bool SkipMessage(int depth) {
    const char close = tokens_.Is('{') ? '}' : '>';
    tokens_.Next();
    while (!tokens_.Is(close)) {
      if (tokens_.kind() != Kind::kName) return Stop(Say("read.text-name"));
      tokens_.Next();
      if (!SkipFieldValue(depth)) return false;
      if (tokens_.Is(',') || tokens_.Is(';')) tokens_.Next();
    }
    tokens_.Next();
    return true;
  }

  TextTokens tokens_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  Messages fault_;
};

}  // namespace

Result<std::string> EncodeTextMessage(std::string_view text, const MessageDescriptor& message,
                                      const std::string& file, Diagnostics& diagnostics) {
  return Encoder(text, file, diagnostics).Encode(message);
}

bool LooksLikeText(std::string_view bytes) {
  bytes = bytes.substr(0, 512);
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : (c == '\n' || c == '\r' || c == '\t');
  });
}

}  // namespace stepscope
