#pragma once

#include <span>

#include "read/chrome_json/document.h"
#include "read/chrome_json/parsed_chunk.h"

namespace stepscope::chrome_json {

// Tells the format of a file from its members and categories and sets it in the facts, with the
// framework where the format has only one. What was recorded (shapes, stacks, modules, memory) is
// taken from the events where the file does not say it.
void TellFormat(std::span<const ParsedChunk> chunks, DocumentParts& parts);

}  // namespace stepscope::chrome_json
