#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::exported {

// Zigzag puts small numbers of either sign near 0, a varint writes 7 bits a byte.
inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Writes Thrift's compact protocol: what the headers and the footer of Parquet are made of. Fields
// of a struct go in ascending order.
class ThriftCompact {
 public:
  explicit ThriftCompact(std::string& out) : out_(out) {}

  void I32(int field, int32_t value) { Number(field, 5, value); }
  void I64(int field, int64_t value) { Number(field, 6, value); }
  void Text(int field, std::string_view text) {
    Header(field, 8);
    Bytes(text);
  }
  void Begin(int field) {
    Header(field, 12);
    Enter();
  }
  void BeginInList() { Enter(); }
  void End() {
    out_ += '\0';
    last_.pop_back();
  }
  enum class Element : uint8_t { kI32 = 5, kText = 8, kStruct = 12 };
  void List(int field, Element element, size_t count) {
    Header(field, 9);
    const auto type = static_cast<unsigned>(element);
    if (count < 15) {
      out_ += static_cast<char>((count << 4) | type);
    } else {
      out_ += static_cast<char>(0xF0 | type);
      AppendVarint(out_, count);
    }
  }
  void I32InList(int32_t value) { AppendVarint(out_, ZigZag(value)); }
  void TextInList(std::string_view text) { Bytes(text); }

 private:
  void Enter() { last_.push_back(0); }
  void Number(int field, int type, int64_t value) {
    Header(field, type);
    AppendVarint(out_, ZigZag(value));
  }
  void Bytes(std::string_view text) {
    AppendVarint(out_, text.size());
    out_ += text;
  }
  void Header(int field, int type) {
    const int step = field - last_.back();
    last_.back() = field;
    out_ += static_cast<char>((step << 4) | type);  // fields are never 15 apart here
  }

  std::string& out_;
  std::vector<int> last_ = {0};  // field written last, by level
};

}  // namespace stepscope::exported
