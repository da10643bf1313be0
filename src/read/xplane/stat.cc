#include "read/xplane/stat.h"

#include <bit>
#include <charconv>
#include <limits>

#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {

int64_t StatValue::Integer(int64_t otherwise) const {
  switch (type) {
    case Type::kUnsigned:
    case Type::kSigned:
      return static_cast<int64_t>(bits);
    case Type::kDouble: {
      const double number = std::bit_cast<double>(bits);
      const bool fits = number > -9.2e18 && number < 9.2e18;  // false for NaN, too
      return fits ? static_cast<int64_t>(number) : otherwise;
    }
    case Type::kText: {
      int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
    }
    case Type::kNone:
    case Type::kBytes:
    case Type::kReference:
      return otherwise;
  }
  return otherwise;
}

double StatValue::Number(double otherwise) const {
  if (type == Type::kDouble) return std::bit_cast<double>(bits);
  if (type == Type::kUnsigned) return static_cast<double>(bits);
  if (type == Type::kSigned) return static_cast<double>(static_cast<int64_t>(bits));
  return otherwise;
}

bool ReadStat(std::string_view bytes, Stat& stat) {
  using Type = StatValue::Type;
  stat = {};
  for (WireCursor cursor(bytes); !cursor.done();) {
    uint64_t tag = 0;
    if (!cursor.Varint(tag)) return false;
    const uint64_t field = tag >> 3;
    const auto wire_type = tag & 7;
    if (field == stat_field::kMetadataId && wire_type == 0) {
      if (!cursor.Varint(stat.metadata_id)) return false;
    } else if (wire_type == 0 && (field == stat_field::kUint64 || field == stat_field::kInt64 ||
                                  field == stat_field::kReference)) {
      if (!cursor.Varint(stat.value.bits)) return false;
      stat.value.type = field == stat_field::kUint64  ? Type::kUnsigned
                        : field == stat_field::kInt64 ? Type::kSigned
                                                      : Type::kReference;
    } else if (field == stat_field::kDouble && wire_type == 1) {
      if (cursor.left() < 8) return false;
      std::memcpy(&stat.value.bits, cursor.at, 8);
      cursor.at += 8;
      stat.value.type = Type::kDouble;
    } else if ((field == stat_field::kString || field == stat_field::kBytes) && wire_type == 2) {
      if (!cursor.Bytes(stat.value.text)) return false;
      stat.value.type = field == stat_field::kString ? Type::kText : Type::kBytes;
    } else if (field == 0 || !cursor.Skip(tag)) {
      return false;
    }
  }
  return true;
}

}  // namespace stepscope::xplane
