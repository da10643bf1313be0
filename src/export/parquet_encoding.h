#pragma once

#include <cstdint>
#include <span>
#include <string>

// How Parquet lays values into a page (parquet-format, Encodings.md).
namespace stepscope::exported {

// Numbers of `width` bits one after another, the lowest bit first; the last byte is filled up.
void PackBits(std::span<const uint32_t> values, unsigned width, std::string& out);

// One bit-packed run of the RLE hybrid.
void AppendBitPackedRun(std::span<const uint32_t> values, unsigned width, std::string& out);

// Definition levels of a nullable column with the length in front: 1 where there is a value.
// Empty: there is one everywhere.
void AppendLevels(std::span<const uint8_t> valid, size_t count, std::string& out);

// DELTA_BINARY_PACKED: differences, less the least of 128, in as few bits as 32 of them need.
void AppendDeltas(std::span<const int64_t> values, std::string& out);

// Bits that the largest of `count` codes needs, at least 1.
unsigned WidthOfCodes(size_t count);

template <typename T>
void AppendLittleEndian(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace stepscope::exported
