#pragma once

#include <functional>
#include <string_view>

#include "read/chrome_json/raw_event.h"

namespace stepscope::chrome_json {

// Calls take(series, value) for each number among the members of `object`, the text of a JSON
// object. Numbers written as text count; what is no number is left out.
void ForEachSeries(std::string_view object,
                   const std::function<void(const Text& series, double value)>& take);

}  // namespace stepscope::chrome_json
