#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "io/byte_source.h"

namespace stepscope {

// A file or standard input ("-") as it is on disk. Waiting for a pipe, for its writer included,
// ends with kInterrupted soon after `stop` says so.
Result<std::unique_ptr<ByteSource>> OpenFile(const std::string& path, std::stop_token stop = {});

}  // namespace stepscope
