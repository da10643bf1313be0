#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace stepscope::chrome_json {

// How the parser walks over text. Every walk may read up to kPadding bytes past the end of the
// text, which must hold quotation marks: they stop all of them.
inline constexpr size_t kPadding = 64;

// Where in 64 bytes the characters stand that matter for nesting: bit i for byte i.
struct StructureBits {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
  uint64_t opens = 0;   // [ {
  uint64_t closes = 0;  // ] }
};

// Eight bytes at a time with plain arithmetic: runs everywhere.
struct PortableScan {
  // The first '"' or '\\' from `at` on.
  static const char* StringEnd(const char* at) {
    if constexpr (std::endian::native == std::endian::little) {
      while (true) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        const uint64_t found = ZeroBytes(word ^ Fill('"')) | ZeroBytes(word ^ Fill('\\'));
        if (found != 0) return at + std::countr_zero(found) / 8;
        at += 8;
      }
    }
    while (*at != '"' && *at != '\\') ++at;
    return at;
  }
  // The first byte above the space.
  static const char* Space(const char* at) {
    while (static_cast<uint8_t>(*at) <= ' ') ++at;
    return at;
  }
  static StructureBits Structure(const char* at) {
    StructureBits bits;
    for (int i = 0; i < 64; ++i) {
      const char c = at[i];
      bits.quotes |= uint64_t{c == '"'} << i;
      bits.backslashes |= uint64_t{c == '\\'} << i;
      bits.opens |= uint64_t{(c | 0x20) == '{'} << i;
      bits.closes |= uint64_t{(c | 0x20) == '}'} << i;
    }
    return bits;
  }
  // Bit i of the result: parity of bits 0 to i.
  static uint64_t Parity(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
  }
  // Whether the bytes at `at` are those of `key` that `mask` names (its low bits).
  static bool Same(const char* at, const char* key, uint32_t mask) {
    return std::memcmp(at, key, static_cast<size_t>(std::countr_one(mask))) == 0;
  }

 private:
  static constexpr uint64_t Fill(char c) { return 0x0101010101010101 * static_cast<uint8_t>(c); }
  static constexpr uint64_t ZeroBytes(uint64_t word) {
    return (word - 0x0101010101010101) & ~word & 0x8080808080808080;
  }
};

#if defined(__x86_64__)
// Thirty-two bytes at a time. Only for functions compiled for AVX2, into which these are inlined.
struct Avx2Scan {
#define STEPSCOPE_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul")))
  STEPSCOPE_AVX2 static const char* StringEnd(const char* at) {
    while (true) {
      const __m256i bytes = Load(at);
      const uint32_t found =
          Mask(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')),
                               _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'))));
      if (found != 0) return at + _tzcnt_u32(found);
      at += 32;
    }
  }
  STEPSCOPE_AVX2 static const char* Space(const char* at) {
    while (true) {
      const __m256i bytes = Load(at);
      const __m256i above = _mm256_set1_epi8(' ' + 1);
      const uint32_t found = Mask(_mm256_cmpeq_epi8(_mm256_max_epu8(bytes, above), bytes));
      if (found != 0) return at + _tzcnt_u32(found);
      at += 32;
    }
  }
  STEPSCOPE_AVX2 static StructureBits Structure(const char* at) {
    const __m256i low = Load(at);
    const __m256i high = Load(at + 32);
    const __m256i case_bit = _mm256_set1_epi8(0x20);
    const __m256i low_lower = _mm256_or_si256(low, case_bit);
    const __m256i high_lower = _mm256_or_si256(high, case_bit);
    return {Equal(low, high, '"'), Equal(low, high, '\\'), Equal(low_lower, high_lower, '{'),
            Equal(low_lower, high_lower, '}')};
  }
  STEPSCOPE_AVX2 static uint64_t Parity(uint64_t bits) {
    const __m128i ones = _mm_set1_epi8(-1);
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<int64_t>(bits)), ones, 0);
    return static_cast<uint64_t>(_mm_cvtsi128_si64(product));
  }
  STEPSCOPE_AVX2 static bool Same(const char* at, const char* key, uint32_t mask) {
    return (Mask(_mm256_cmpeq_epi8(Load(at), Load(key))) & mask) == mask;
  }

 private:
  STEPSCOPE_AVX2 static __m256i Load(const char* at) {
    __m256i bytes;
    std::memcpy(&bytes, at, sizeof bytes);  // one unaligned load
    return bytes;
  }
  STEPSCOPE_AVX2 static uint64_t Equal(__m256i low, __m256i high, char c) {
    const __m256i wanted = _mm256_set1_epi8(c);
    return uint64_t{Mask(_mm256_cmpeq_epi8(low, wanted))} |
           uint64_t{Mask(_mm256_cmpeq_epi8(high, wanted))} << 32;
  }
  STEPSCOPE_AVX2 static uint32_t Mask(__m256i bytes) {
    return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
  }
#undef STEPSCOPE_AVX2
};
#endif

}  // namespace stepscope::chrome_json
