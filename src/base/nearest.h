#pragma once

#include <span>
#include <string_view>

namespace stepscope {

// The known name that is closest to what was typed (letters added, lost, changed or swapped), or
// empty when none is close enough.
std::string_view Nearest(std::string_view typed, std::span<const std::string_view> known);

}  // namespace stepscope
