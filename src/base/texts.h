#pragma once

#include <array>

#include "base/text.h"

// What this room says itself; words/ has all else.
namespace stepscope {

inline constexpr std::array kBaseTexts = std::to_array<Text>({
    {"base.not-json", "this is not valid JSON", "不是合法的 JSON"},
});

}  // namespace stepscope
