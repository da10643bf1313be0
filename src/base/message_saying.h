#pragma once

#include <span>
#include <string_view>

#include "base/message.h"

namespace stepscope {

// The message of the table whose English says this; what a file says in other words stays as it is.
// Only texts whose holes take text count; where several fit, the one with most words of its own.
Message MessageSaying(std::span<const Text> table, std::string_view english);

}  // namespace stepscope
