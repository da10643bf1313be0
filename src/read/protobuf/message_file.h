#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "read/protobuf/descriptor.h"

namespace stepscope {

// Wire bytes and what keeps them alive.
struct MessageBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

// The wire bytes of a file that holds the message in either encoding. Damage of a compressed file
// becomes a diagnostic.
Result<MessageBytes> WireBytesOf(const FileBytes& file, const MessageDescriptor& message,
                                 const std::string& path, Diagnostics& diagnostics);

}  // namespace stepscope
