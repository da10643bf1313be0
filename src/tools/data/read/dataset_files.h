#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"

namespace stepscope {

enum class DatasetFormat : uint8_t { kTfRecord, kImage, kParquet, kNpy, kNpz, kTar, kOther };
std::string_view NameOf(DatasetFormat format);  // "TFRecord", "images" …

struct DatasetFile {
  std::string path;
  std::string name;  // path below the directory that was asked for
  uint64_t bytes = 0;
  int64_t modified_ns = 0;
  DatasetFormat format = DatasetFormat::kOther;
};

// Decided by the extension where that is usual, else by the first bytes, so that counting a million
// images does not open them.
DatasetFormat FormatOf(const std::string& path);
bool IsImageName(std::string_view name);

// All regular files at or below the paths, in the order of their names. Hidden files are left out.
// With a pool, sizes are asked for in parallel.
Result<std::vector<DatasetFile>> FindDatasetFiles(const std::vector<std::string>& paths,
                                                  TaskPool* pool = nullptr);

}  // namespace stepscope
