#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advise/evidence.h"
#include "advise/given.h"
#include "advise/settings.h"
#include "base/json_document.h"
#include "base/result.h"
#include "base/task_pool.h"
#include "cli/options.h"
#include "read/graph_def/graph_def.h"

namespace stepscope {

// What the user says beside the profile.
struct AdviseInputs {
  std::string machine, log, dataset, trivial, synthetic, graph, rates;
  double disk_mb_per_s = 0;
  double bus_gb_per_s = 0;  // of collectives
  int64_t batch = 0, workers = -1, ranks_per_host = 0;
};
void AddInputOptions(OptionParser& parser, AdviseInputs* into);

Result<Given> LoadInputs(const AdviseInputs& inputs, std::span<const Report> reports,
                         TaskPool& pool);

// Thresholds and ignored rules: the file, or stepscope.toml in the working directory where there is
// one.
Result<Settings> LoadSettings(const std::string& file);
void AddConfigOption(OptionParser& parser, std::string* file);

// The graphs that lie beside RunMetadata or in it, one a trace; without nodes where there is none.
std::vector<GraphDef> GraphsBeside(const std::vector<std::string>& paths, const Profile& profile);

Result<JsonValue> ReadJsonFile(const std::string& file);

}  // namespace stepscope
