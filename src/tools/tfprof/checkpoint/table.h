#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace stepscope {

// Reads a whole LevelDB-format table (SSTable) from memory: data blocks with prefix-compressed
// keys, an index block, a 48-byte footer. Every block's masked CRC-32C is checked. Blocks
// compressed with Snappy are an Error: TensorFlow writes none.
Result<std::vector<std::pair<std::string, std::string>>> ReadTable(std::string_view bytes,
                                                                   const std::string& path);

}  // namespace stepscope
