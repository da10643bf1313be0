#pragma once

#include <optional>
#include <string_view>

namespace stepscope {

// "30s", "500ms", "2m", "1h"; a bare number is seconds. None for anything else.
std::optional<double> SecondsOf(std::string_view text);

}  // namespace stepscope
