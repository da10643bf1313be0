#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

// Reads Thrift's compact protocol without copying. Every read is checked; after the first fault
// ok() is false and all reads give 0. Nested structs are walked by their caller, which keeps count
// of the depth.
class ThriftReader {
 public:
  enum class Type : uint8_t {
    kStop = 0,
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kI16 = 4,
    kI32 = 5,
    kI64 = 6,
    kDouble = 7,
    kBinary = 8,
    kList = 9,
    kSet = 10,
    kMap = 11,
    kStruct = 12,
  };

  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  uint64_t offset() const { return at_; }

  // The next field of a struct; false at its end. `last` is the field number before (0 at first).
  bool NextField(int16_t& last, Type& type) {
    const uint8_t head = Byte();
    type = static_cast<Type>(head & 0x0f);
    if (!ok_ || type == Type::kStop) return false;
    const int delta = head >> 4;
    last = delta != 0 ? static_cast<int16_t>(last + delta) : static_cast<int16_t>(Signed());
    return ok_;
  }
  int64_t Signed() {
    const uint64_t raw = Varint();
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }
  std::string_view Binary() {
    const uint64_t size = Varint();
    if (!ok_ || size > bytes_.size() - at_) return Fault();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  // Number of elements of a list or set. Each takes at least a byte, so a list cannot claim more
  // than there are.
  uint64_t List(Type& element) {
    const uint8_t head = Byte();
    element = static_cast<Type>(head & 0x0f);
    const uint64_t size = (head >> 4) == 15 ? Varint() : head >> 4;
    if (size > bytes_.size() - at_) {
      ok_ = false;
      return 0;
    }
    return size;
  }
  void Skip(Type type, int depth = 0);

 private:
  static constexpr int kMostDepth = 64;

  std::string_view Fault() {
    ok_ = false;
    return {};
  }
  uint8_t Byte() {
    if (!ok_ || at_ == bytes_.size()) {
      ok_ = false;
      return 0;
    }
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = Byte();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return ok_ ? value : 0;
    }
    ok_ = false;
    return 0;
  }
  void SkipBytes(uint64_t count) {
    if (count > bytes_.size() - at_) {
      ok_ = false;
    } else {
      at_ += count;
    }
  }

  std::string_view bytes_;
  uint64_t at_ = 0;
  bool ok_ = true;
};

}  // namespace stepscope
