#pragma once

#include <string>
#include <string_view>

#include "read/protobuf/descriptor.h"

namespace stepscope {

// Wire bytes as text protobuf, as Python's str(message) gives it: fields by number, two blanks a
// level, zeros left out. Fields the descriptor does not know are left out, too.
std::string PrintTextMessage(std::string_view bytes, const MessageDescriptor& message);

}  // namespace stepscope
