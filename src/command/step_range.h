#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/message.h"

namespace stepscope {

// "5-8", "5", "5-" or "-8". Returns what is wrong with it; empty when nothing is.
Messages ParseStepRange(std::string_view text, std::optional<int64_t>& first,
                        std::optional<int64_t>& last);

}  // namespace stepscope
