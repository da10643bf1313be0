#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/selection.h"

namespace stepscope {

class Study;

enum class ExportFormat : uint8_t {
  kParquet,
  kArrow,
  kCsv,
  kJsonl,
  kSqlite,
  kPprof,
  kSpeedscope,
  kFolded,
  kChrome,
  kPerfetto,
};

// What `export` was asked for.
struct ExportRequest {
  std::vector<std::string> paths;
  std::string output;
  ExportFormat format = ExportFormat::kParquet;
  std::vector<std::string> tables;
  query::RowSelection selection;
  std::string stack = "ops";
  std::string weight;  // empty: as the profile has it
  bool idle = false;
};

// pprof, speedscope and folded.
Result<void> WriteStacks(Study& study, const ExportRequest& request);

}  // namespace stepscope
