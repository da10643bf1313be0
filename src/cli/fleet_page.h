#pragma once

#include <span>

namespace stepscope {

// `fleet page TABLES` is asked of the Python package. It works out what the page shows and calls
// `fleet page --data`, which puts that into the page that this program holds.
int RunFleetPage(std::span<char*> arguments);

}  // namespace stepscope
