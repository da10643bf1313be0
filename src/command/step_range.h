#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// "5-8", "5", "5-" or "-8". Returns what is wrong with it; empty when nothing is.
std::string ParseStepRange(std::string_view text, std::optional<int64_t>& first,
                           std::optional<int64_t>& last);

}  // namespace stepscope
