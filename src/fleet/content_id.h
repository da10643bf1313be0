#pragma once

#include <optional>
#include <string>

namespace stepscope::fleet {

// XXH3-128 of a file's bytes as they lie on disk, 32 hex digits; of a directory, of the names below
// it and what they hold. None where nothing can be read. Runs at the speed of the disk.
std::optional<std::string> ContentId(const std::string& path);

}  // namespace stepscope::fleet
