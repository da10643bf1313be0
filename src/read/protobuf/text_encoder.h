#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "read/protobuf/descriptor.h"

namespace stepscope {

// Turns text protobuf into the wire bytes of the same message, so that every format has one reader.
// Fields the descriptor does not know are skipped and counted; text that is no text protobuf is an
// Error that names line and column; text that is cut gives what stands before the cut. Nesting is
// limited to 100 levels, as in protobuf itself.
Result<std::string> EncodeTextMessage(std::string_view text, const MessageDescriptor& message,
                                      const std::string& file, Diagnostics& diagnostics);

// Whether the bytes can be text protobuf: no control characters among the first ones. Wire bytes of
// any message with a nested one have some at once.
bool LooksLikeText(std::string_view bytes);

}  // namespace stepscope
