#pragma once

#include <span>
#include <string_view>

#include "base/message.h"

namespace stepscope {

// The message of the table whose English says this; what a file says in other words stays as it is.
// Holes have to take text.
Message MessageSaying(std::span<const Text> table, std::string_view english);

}  // namespace stepscope
