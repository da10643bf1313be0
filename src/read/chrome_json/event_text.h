#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/random_access.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {

// One event as the file spells it, read again by its ordinal: walks from the block that holds it,
// at most a few megabytes of text. An Error when the file no longer holds it.
Result<std::string> ReadEventText(RandomAccess& file, const std::vector<EventPlace>& places,
                                  uint64_t event);

// The same value as strict JSON, for programs: words that are not JSON (NaN, Infinity, N/A) and
// numbers of more than 15 digits become strings, so that nothing is rounded; control characters are
// escaped and bytes that are no UTF-8 replaced. Text that is no JSON value at all becomes one
// string.
std::string StrictJson(std::string_view text);

}  // namespace stepscope::chrome_json
