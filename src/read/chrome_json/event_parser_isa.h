#pragma once

#include <cstdint>
#include <span>

#include "read/chrome_json/parsed_chunk.h"

namespace stepscope::chrome_json {

void ParseEventsPortable(std::span<const char> text, uint64_t file_offset, ParsedChunk& chunk);
#if defined(__x86_64__)
void ParseEventsAvx2(std::span<const char> text, uint64_t file_offset, ParsedChunk& chunk);
#endif

}  // namespace stepscope::chrome_json
