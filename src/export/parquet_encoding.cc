#include "export/parquet_encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "export/thrift_compact.h"

namespace stepscope::exported {
namespace {

static_assert(std::endian::native == std::endian::little);

// Collects bits and writes whole words; needs room for one word beyond the last bit.
class BitWriter {
 public:
  explicit BitWriter(char* at) : at_(at) {}
  void Add(uint64_t value, unsigned width) {
    bits_ |= value << used_;
    if (used_ + width < 64) {
      used_ += width;
      return;
    }
    std::memcpy(at_, &bits_, sizeof bits_);
    at_ += sizeof bits_;
    const unsigned kept = 64 - used_;
    bits_ = kept < 64 ? value >> kept : 0;
    used_ = width - kept;
  }
  // The place behind the last byte that has bits.
  char* Finish() {
    std::memcpy(at_, &bits_, sizeof bits_);
    return at_ + (used_ + 7) / 8;
  }

 private:
  char* at_;
  uint64_t bits_ = 0;
  unsigned used_ = 0;
};

constexpr size_t kBlock = 128, kMini = 32, kMinis = kBlock / kMini;

// The differences of one block, wrapped around where they are too far apart.
void AppendBlock(std::span<const int64_t> values, uint64_t before, std::string& out) {
  std::array<uint64_t, kBlock> deltas{};
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<uint64_t>(values[i]);
    deltas[i] = value - before;
    least = std::min(least, static_cast<int64_t>(deltas[i]));
    before = value;
  }
  for (size_t i = 0; i < values.size(); ++i) deltas[i] -= static_cast<uint64_t>(least);
  AppendVarint(out, ZigZag(least));
  std::array<unsigned, kMinis> widths{};
  for (size_t mini = 0; mini < kMinis; ++mini) {
    uint64_t all = 0;
    for (size_t i = 0; i < kMini; ++i) all |= deltas[mini * kMini + i];
    widths[mini] = static_cast<unsigned>(std::bit_width(all));
    out += static_cast<char>(widths[mini]);
  }
  std::array<char, (kBlock + 1) * sizeof(uint64_t)> packed;
  char* at = packed.data();
  for (size_t mini = 0; mini < kMinis && mini * kMini < values.size(); ++mini) {
    if (widths[mini] == 0) continue;
    BitWriter bits(at);
    for (size_t i = 0; i < kMini; ++i) bits.Add(deltas[mini * kMini + i], widths[mini]);
    at = bits.Finish();
  }
  out.append(packed.data(), at);
}

}  // namespace

void PackBits(std::span<const uint32_t> values, unsigned width, std::string& out) {
  const size_t begin = out.size();
  out.resize(begin + values.size() * width / 8 + 2 * sizeof(uint64_t));
  BitWriter bits(out.data() + begin);
  for (const uint32_t value : values) bits.Add(value, width);
  out.resize(static_cast<size_t>(bits.Finish() - out.data()));
}

void AppendBitPackedRun(std::span<const uint32_t> values, unsigned width, std::string& out) {
  const size_t groups = (values.size() + 7) / 8;
  AppendVarint(out, (groups << 1) | 1);
  const size_t end = out.size() + groups * width;
  PackBits(values, width, out);
  out.resize(end, '\0');
}

void AppendLevels(std::span<const uint8_t> valid, size_t count, std::string& out) {
  std::string levels;
  if (std::ranges::find(valid, 0) == valid.end()) {
    AppendVarint(levels, count << 1);
    levels += '\1';
  } else {
    const size_t groups = (valid.size() + 7) / 8;
    AppendVarint(levels, (groups << 1) | 1);
    const size_t begin = levels.size();
    levels.resize(begin + groups, '\0');
    for (size_t i = 0; i < valid.size(); ++i) {
      levels[begin + i / 8] = static_cast<char>(levels[begin + i / 8] | (valid[i] << (i % 8)));
    }
  }
  AppendLittleEndian(out, static_cast<uint32_t>(levels.size()));
  out += levels;
}

void AppendDeltas(std::span<const int64_t> values, std::string& out) {
  AppendVarint(out, kBlock);
  AppendVarint(out, kMinis);
  AppendVarint(out, values.size());
  AppendVarint(out, ZigZag(values.empty() ? 0 : values[0]));
  for (size_t at = 1; at < values.size(); at += kBlock) {
    AppendBlock(values.subspan(at, std::min(kBlock, values.size() - at)),
                static_cast<uint64_t>(values[at - 1]), out);
  }
}

unsigned WidthOfCodes(size_t count) {
  return count <= 2 ? 1 : static_cast<unsigned>(std::bit_width(count - 1));
}

}  // namespace stepscope::exported
