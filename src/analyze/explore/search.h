#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

enum class SearchMode : uint8_t { kText, kRegex };

// All spans whose name matches, in order of time.
struct SearchHits {
  uint64_t count = 0;
  std::vector<uint32_t> slices;  // the first kMostHits by time
  std::vector<StringId> names;   // that matched, by id
  static constexpr size_t kMostHits = 1'000'000;
};

// Text matches anywhere in the name, ignoring case; a regular expression is RE2's. Each distinct
// name is looked at once: O(names + slices), plus a sort of the hits. An Error when the expression
// is not valid.
Result<SearchHits> SearchNames(const Trace& trace, std::string_view wanted, SearchMode mode);

}  // namespace stepscope
