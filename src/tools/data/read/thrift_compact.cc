#include "tools/data/read/thrift_compact.h"

namespace stepscope {
namespace {

// A flag lies in the header of a field, but takes a byte in a collection: every element takes one
// at least, so that no claimed size makes a long loop.
ThriftReader::Type Element(ThriftReader::Type type) {
  using Type = ThriftReader::Type;
  return type == Type::kTrue || type == Type::kFalse ? Type::kByte : type;
}

}  // namespace

void ThriftReader::Skip(Type type, int depth) {
  if (!ok_ || depth > kMostDepth) {
    ok_ = false;
    return;
  }
  switch (type) {
    case Type::kTrue:
    case Type::kFalse:
      return;
    case Type::kByte:
      SkipBytes(1);
      return;
    case Type::kI16:
    case Type::kI32:
    case Type::kI64:
      Varint();
      return;
    case Type::kDouble:
      SkipBytes(8);
      return;
    case Type::kBinary:
      Binary();
      return;
    case Type::kList:
    case Type::kSet: {
      Type element{};
      const uint64_t size = List(element);
      for (uint64_t i = 0; i < size && ok_; ++i) Skip(Element(element), depth + 1);
      return;
    }
    case Type::kMap: {
      const uint64_t size = Varint();
      if (size == 0 || !ok_) return;
      const uint8_t types = Byte();
      for (uint64_t i = 0; i < size && ok_; ++i) {
        Skip(Element(static_cast<Type>(types >> 4)), depth + 1);
        Skip(Element(static_cast<Type>(types & 0x0f)), depth + 1);
      }
      return;
    }
    case Type::kStruct: {
      int16_t field = 0;
      Type inner{};
      while (NextField(field, inner)) Skip(inner, depth + 1);
      return;
    }
    case Type::kStop:
      break;
  }
  ok_ = false;
}

}  // namespace stepscope
