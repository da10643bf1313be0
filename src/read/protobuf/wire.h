#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace stepscope {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kGroupStart = 3,
  kGroupEnd = 4,
  kFixed32 = 5
};

// Walks the fields of one protobuf message without copying. Every read is checked against the end;
// the first fault (a varint of more than ten bytes, a length past the end, a field number 0, a
// group) stops the walk, ok() turns false and everything before it has been delivered. No
// allocation, no recursion: nested messages are further WireReaders.
//
//   for (WireReader r(bytes); r.Next();) switch (r.field()) { case 1: name = r.Bytes(); break; … }
class WireReader {
 public:
  explicit WireReader(std::span<const char> bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}
  explicit WireReader(std::string_view bytes) : WireReader(std::span(bytes.data(), bytes.size())) {}

  // Moves to the next field; false at the end or at a fault.
  bool Next() {
    if (at_ == end_ || !ok_) return false;
    field_start_ = at_;
    uint64_t tag = 0;
    if (!Varint(tag)) return Stop();
    field_ = static_cast<uint32_t>(tag >> 3);
    type_ = static_cast<WireType>(tag & 7);
    if (field_ == 0 || (tag >> 32) != 0) return Stop();
    switch (type_) {
      case WireType::kVarint:
        return Varint(value_) || Stop();
      case WireType::kFixed64:
        return Fixed<uint64_t>() || Stop();
      case WireType::kFixed32:
        return Fixed<uint32_t>() || Stop();
      case WireType::kLength: {
        uint64_t size = 0;
        if (!Varint(size)) return Stop();
        declared_ = size;
        if (size > static_cast<uint64_t>(end_ - at_)) {
          bytes_ = {at_, static_cast<size_t>(end_ - at_)};
          cut_ = true;
          return Stop();
        }
        bytes_ = {at_, static_cast<size_t>(size)};
        at_ += size;
        return true;
      }
      case WireType::kGroupStart:
      case WireType::kGroupEnd:
        return Stop();
    }
    return Stop();
  }

  uint32_t field() const { return field_; }
  WireType type() const { return type_; }
  // Value of the current field. Asking for the wrong type gives 0 or empty: a message of another
  // kind reads as empty.
  uint64_t Unsigned() const { return type_ == WireType::kLength ? 0 : value_; }
  int64_t Signed() const { return static_cast<int64_t>(Unsigned()); }
  bool Bool() const { return Unsigned() != 0; }
  double Double() const { return type_ == WireType::kFixed64 ? std::bit_cast<double>(value_) : 0; }
  float Float() const {
    return type_ == WireType::kFixed32 ? std::bit_cast<float>(static_cast<uint32_t>(value_)) : 0;
  }
  std::string_view Bytes() const {
    return type_ == WireType::kLength ? bytes_ : std::string_view{};
  }

  bool ok() const { return ok_; }
  // After a fault: the last field declared more bytes than there are; cut_bytes() are those that
  // are there.
  bool cut() const { return cut_; }
  std::string_view cut_bytes() const { return cut_ ? bytes_ : std::string_view{}; }
  uint64_t declared_length() const { return declared_; }
  // Where the current (or faulty) field begins, from the start of this message.
  uint64_t offset() const { return static_cast<uint64_t>(field_start_ - begin_); }

 private:
  bool Stop() {
    ok_ = false;
    return false;
  }
  bool Varint(uint64_t& value) {
    // Most tags, types and lengths take one byte.
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) {
      value = static_cast<uint8_t>(*at_++);
      return true;
    }
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) return false;
      const auto byte = static_cast<uint8_t>(*at_++);
      if (shift == 63 && byte > 1) return false;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  template <typename T>
  bool Fixed() {
    if (static_cast<size_t>(end_ - at_) < sizeof(T)) return false;
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    value_ = value;
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* field_start_ = begin_;
  uint64_t value_ = 0;
  uint64_t declared_ = 0;
  std::string_view bytes_;
  uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
  bool ok_ = true;
  bool cut_ = false;
};

}  // namespace stepscope
