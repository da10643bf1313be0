#include "read/chrome_json/event_parser.h"

#include "read/chrome_json/event_parser_isa.h"

namespace stepscope::chrome_json {

InstructionSet BestInstructionSet() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
      __builtin_cpu_supports("pclmul") != 0) {
    return InstructionSet::kAvx2;
  }
#endif
  return InstructionSet::kPortable;
}

void ParseEvents(std::span<const char> text, uint64_t file_offset,
                 [[maybe_unused]] InstructionSet instructions, ParsedChunk& chunk) {
#if defined(__x86_64__)
  if (instructions == InstructionSet::kAvx2) return ParseEventsAvx2(text, file_offset, chunk);
#endif
  ParseEventsPortable(text, file_offset, chunk);
}

}  // namespace stepscope::chrome_json
