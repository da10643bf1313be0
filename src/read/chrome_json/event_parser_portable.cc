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

namespace stepscope::chrome_json {
namespace portable {

using Scan = PortableScan;
#include "read/chrome_json/event_parser.inc"

}  // namespace portable

void ParseEventsPortable(std::span<const char> text, uint64_t file_offset, ParsedChunk& chunk) {
  portable::EventParser(text, file_offset, chunk).Run();
}

}  // namespace stepscope::chrome_json
