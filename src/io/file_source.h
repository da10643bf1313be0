#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

// A file or standard input ("-") as it is on disk.
Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);

}  // namespace stepscope
