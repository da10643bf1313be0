#pragma once

#include <memory>
#include <string>

#include "io/byte_source.h"

namespace stepscope {

// Decompress another source on the fly, all members or frames of it. Memory is fixed (about 1 MiB
// and the format's window) however much comes out.
std::unique_ptr<ByteSource> InflateGzip(std::unique_ptr<ByteSource> compressed, std::string path);
std::unique_ptr<ByteSource> InflateZlib(std::unique_ptr<ByteSource> compressed, std::string path);
std::unique_ptr<ByteSource> InflateZstd(std::unique_ptr<ByteSource> compressed, std::string path);

}  // namespace stepscope
