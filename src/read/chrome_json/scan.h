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
  // The first of '"', '[', ']', '{', '}'.
  static const char* Structure(const char* at) {
    while (*at != '"' && (*at | 0x20) != '{' && (*at | 0x20) != '}') ++at;
    return at;
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
#define STEPSCOPE_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
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
  STEPSCOPE_AVX2 static const char* Structure(const char* at) {
    while (true) {
      const __m256i bytes = Load(at);
      const __m256i lower = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
      const uint32_t found =
          Mask(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')),
                               _mm256_or_si256(_mm256_cmpeq_epi8(lower, _mm256_set1_epi8('{')),
                                               _mm256_cmpeq_epi8(lower, _mm256_set1_epi8('}')))));
      if (found != 0) return at + _tzcnt_u32(found);
      at += 32;
    }
  }

 private:
  STEPSCOPE_AVX2 static __m256i Load(const char* at) {
    __m256i bytes;
    std::memcpy(&bytes, at, sizeof bytes);  // one unaligned load
    return bytes;
  }
  STEPSCOPE_AVX2 static uint32_t Mask(__m256i bytes) {
    return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
  }
#undef STEPSCOPE_AVX2
};
#endif

}  // namespace stepscope::chrome_json
