#include "record/line_table.h"

#include <cstddef>

namespace stepscope {
namespace {

// 3.9: pairs of a byte delta and a signed line delta; the line changes at the pair's address.
int32_t LineOfLnotab(std::string_view table, int32_t line, int64_t offset) {
  int64_t address = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    address += static_cast<uint8_t>(table[i]);
    if (address > offset) break;
    line += static_cast<int8_t>(table[i + 1]);
  }
  return line;
}

// 3.10: pairs of the length of a range and its line's delta; -128 says that it has no line.
int32_t LineOfRanges(std::string_view table, int32_t first, int64_t offset) {
  constexpr int8_t kNoLine = -128;
  int32_t line = first;
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto delta = static_cast<int8_t>(table[i + 1]);
    end += static_cast<uint8_t>(table[i]);
    if (delta != kNoLine) line += delta;
    if (offset < end) return delta == kNoLine ? first : line;
  }
  return line;
}

// 3.11 on: a byte 1cccclll starts an entry of lll + 1 code units, then bytes without the high bit.
class LocationTable {
 public:
  explicit LocationTable(std::string_view table) : table_(table) {}

  int32_t LineAt(int32_t first, int64_t offset) {
    constexpr int64_t kUnitBytes = 2;
    int32_t line = first;
    int64_t end = 0;
    while (at_ < table_.size()) {
      const uint8_t head = Byte();
      const int code = (head >> 3) & 15;
      end += ((head & 7) + 1) * kUnitBytes;
      if (code >= 13 && code <= 14) line += Signed();
      if (code >= 10 && code <= 12) line += code - 10;
      while (at_ < table_.size() && (static_cast<uint8_t>(table_[at_]) & 0x80) == 0) ++at_;
      if (offset < end) return code == 15 ? first : line;
    }
    return line;
  }

 private:
  uint8_t Byte() { return at_ < table_.size() ? static_cast<uint8_t>(table_[at_++]) : 0; }

  // Six bits a byte, the low ones first; bit 6 says that more follow. The sign is the lowest bit.
  int32_t Signed() {
    uint32_t value = 0;
    for (int shift = 0; shift < 30; shift += 6) {
      const uint8_t byte = Byte();
      value |= static_cast<uint32_t>(byte & 63) << shift;
      if ((byte & 64) == 0) break;
    }
    const auto magnitude = static_cast<int32_t>(value >> 1);
    return (value & 1) != 0 ? -magnitude : magnitude;
  }

  std::string_view table_;
  size_t at_ = 0;
};

}  // namespace

int32_t LineAt(int minor, std::string_view table, int32_t first_line, int64_t offset) {
  if (minor <= 9) return LineOfLnotab(table, first_line, offset);
  if (minor == 10) return LineOfRanges(table, first_line, offset);
  return LocationTable(table).LineAt(first_line, offset);
}

}  // namespace stepscope
