#pragma once

#include <span>
#include <string_view>

#include "base/text.h"

namespace stepscope {

// The tables of all areas.
std::span<const std::span<const Text>> AllTexts();
// nullptr: no text has this id.
const Text* FindText(std::string_view id);

}  // namespace stepscope
