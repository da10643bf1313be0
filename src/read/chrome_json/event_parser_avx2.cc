#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "read/chrome_json/border.h"
#include "read/chrome_json/decimal.h"
#include "read/chrome_json/event_keys.h"
#include "read/chrome_json/event_parser.h"
#include "read/chrome_json/event_parser_isa.h"
#include "read/chrome_json/event_sink.h"
#include "read/chrome_json/scan.h"

// Only functions defined between push and pop are compiled for AVX2: inline functions of the
// headers above stay portable, whichever copy the linker keeps.
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul")
#endif

namespace stepscope::chrome_json {
namespace avx2 {

using Scan = Avx2Scan;
#include "read/chrome_json/event_parser.inc"

}  // namespace avx2

void ParseEventsAvx2(std::span<const char> text, uint64_t file_offset, ParsedChunk& chunk) {
  avx2::EventParser(text, file_offset, chunk).Run();
}

}  // namespace stepscope::chrome_json

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
