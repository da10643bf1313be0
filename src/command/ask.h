#pragma once

#include <functional>

#include "base/message.h"

namespace stepscope {

// Asks a question on the terminal, answered with y or n; n where nothing is typed. Empty where
// nobody sits at a terminal.
std::function<bool(const Message& question)> AskUser();

}  // namespace stepscope
