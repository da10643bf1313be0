#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// A JSON string in which everything outside of printable ASCII is escaped, as Python and
// TensorFlow's JSON library write it.
std::string QuoteAscii(std::string_view text);

}  // namespace stepscope
