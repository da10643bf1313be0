#pragma once

#include <span>
#include <string_view>

namespace stepscope {

// Hands a question about tables of a fleet to the Python package, which asks DuckDB or Spark. Ends
// this program where that can be started; else says what to install and returns the exit code.
int AskPython(std::string_view question, std::span<char*> arguments);

}  // namespace stepscope
