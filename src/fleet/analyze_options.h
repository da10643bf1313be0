#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fleet/manifest.h"
#include "fleet/path_pattern.h"
#include "fleet/workers.h"

namespace stepscope::fleet {

enum class Format : uint8_t { kParquet, kArrow, kJsonl };
std::string_view NameOf(Format format);     // "parquet", also the ending of files
Format FormatNamed(std::string_view name);  // kParquet of other names

struct AnalyzeOptions {
  std::string directory;
  Format format = Format::kParquet;
  size_t batch = 1000;  // paths a file of a table
  std::optional<PathPattern> pattern;
  Again again = Again::kNone;
  std::string name_key;  // not empty: paths and hosts are hashed with it
  WorkerLimits limits;
};

}  // namespace stepscope::fleet
