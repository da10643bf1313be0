#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

// What the footer of a Parquet file says; no data page is read.
struct ParquetFooter {
  struct Column {
    std::string path;  // dotted
    std::string type;
    std::string codec;
    uint64_t values = 0;
    uint64_t compressed = 0;  // bytes over all row groups
    uint64_t uncompressed = 0;
  };
  int64_t rows = 0;
  uint64_t row_groups = 0;
  std::string created_by;
  std::vector<Column> columns;  // leaves, in file order
};

// The serialized FileMetaData (Thrift compact protocol), which lies before the last 8 bytes of the
// file. An Error carries the offset inside of it.
Result<ParquetFooter> ParseParquetFooter(std::string_view metadata);
Result<ParquetFooter> ReadParquetFooter(const std::string& path);

}  // namespace stepscope
