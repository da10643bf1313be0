#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "read/protobuf/wire.h"

namespace stepscope {

// Appends fields of a protobuf message to a string. A nested message is written by a writer of its
// own and added with Bytes.
class WireWriter {
 public:
  explicit WireWriter(std::string& out) : out_(out) {}

  void Varint(uint32_t field, uint64_t value) {
    Tag(field, WireType::kVarint);
    Raw(value);
  }
  void Signed(uint32_t field, int64_t value) { Varint(field, static_cast<uint64_t>(value)); }
  void Bytes(uint32_t field, std::string_view bytes) {
    Tag(field, WireType::kLength);
    Raw(bytes.size());
    out_.append(bytes);
  }
  void Float(uint32_t field, float value) { Fixed32(field, std::bit_cast<uint32_t>(value)); }
  void Double(uint32_t field, double value) { Fixed64(field, std::bit_cast<uint64_t>(value)); }
  void Fixed32(uint32_t field, uint32_t value) {
    Tag(field, WireType::kFixed32);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Fixed64(uint32_t field, uint64_t value) {
    Tag(field, WireType::kFixed64);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // A number without a tag: an element of a packed field.
  void Raw(uint64_t value) {
    char bytes[10];
    int size = 0;
    for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
    bytes[size++] = static_cast<char>(value);
    out_.append(bytes, static_cast<size_t>(size));
  }

 private:
  void Tag(uint32_t field, WireType type) {
    Raw((uint64_t{field} << 3) | static_cast<uint64_t>(type));
  }

  static_assert(std::endian::native == std::endian::little);
  std::string& out_;
};

}  // namespace stepscope
