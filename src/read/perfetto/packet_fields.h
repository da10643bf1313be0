#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "read/protobuf/cursor.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {

// The fields of a message as WireReader gives them, for the three loops that see every byte of a
// trace: it keeps no offsets and is compiled into the loop.
class PacketFields {
 public:
  explicit PacketFields(std::string_view bytes) : at_(bytes) {}

  [[gnu::always_inline]] bool Next() {
    uint64_t tag = 0;
    if (at_.done() || !ok_) return false;
    if (!at_.Varint(tag) || tag < 8 || (tag >> 32) != 0) return Stop();
    field_ = static_cast<uint32_t>(tag >> 3);
    type_ = static_cast<WireType>(tag & 7);
    switch (type_) {
      case WireType::kVarint:
        return at_.Varint(value_) || Stop();
      case WireType::kLength:
        return at_.Bytes(bytes_) || Stop();
      case WireType::kFixed64:
        return Fixed<uint64_t>() || Stop();
      case WireType::kFixed32:
        return Fixed<uint32_t>() || Stop();
      default:
        return Stop();
    }
  }

  uint32_t field() const { return field_; }
  WireType type() const { return type_; }
  uint64_t Unsigned() const { return type_ == WireType::kLength ? 0 : value_; }
  int64_t Signed() const { return static_cast<int64_t>(Unsigned()); }
  bool Bool() const { return Unsigned() != 0; }
  double Double() const { return type_ == WireType::kFixed64 ? std::bit_cast<double>(value_) : 0; }
  std::string_view Bytes() const {
    return type_ == WireType::kLength ? bytes_ : std::string_view{};
  }
  bool ok() const { return ok_; }

 private:
  bool Stop() {
    ok_ = false;
    return false;
  }
  template <typename T>
  bool Fixed() {
    T value;
    if (at_.left() < sizeof value) return false;
    std::memcpy(&value, at_.at, sizeof value);
    at_.at += sizeof value;
    value_ = value;
    return true;
  }

  WireCursor at_;
  uint64_t value_ = 0;
  std::string_view bytes_;
  uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  bool ok_ = true;
};

}  // namespace stepscope::perfetto
