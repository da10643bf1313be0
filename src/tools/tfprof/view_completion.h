#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// What the word at the end of a prompt's line can become: a command where it is the first word, an
// option after a dash, and after an option (a blank or `=`) its values, in lists the next one.
// Whole words, in the order they are listed in.
std::vector<std::string> ViewCompletions(std::string_view line);

}  // namespace stepscope
