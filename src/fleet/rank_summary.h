#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ranks/rank_digest.h"

namespace stepscope::fleet {

// What the second pass needs of a rank, as text that any table can hold: its calls, steps, groups
// and totals, some ten bytes a call. Sets of times that only the timeline of a job needs are left
// out.
std::string EncodeSummary(const RankDigest& digest);
// None where the text is no such summary, or is cut.
std::optional<RankDigest> DecodeSummary(std::string_view text);

}  // namespace stepscope::fleet
