#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

// The line of an instruction, from a code object's line table in the form of Python 3.`minor`
// (9 to 13). `offset` is the instruction's byte in the code. Without a line, the function's first.
int32_t LineAt(int minor, std::string_view table, int32_t first_line, int64_t offset);

}  // namespace stepscope
