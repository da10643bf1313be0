#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// A path as a URI reference (RFC 3986): what may not stand in one is escaped byte by byte.
std::string UriOf(std::string_view path);

}  // namespace stepscope
