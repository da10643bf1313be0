#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/given.h"
#include "base/json_document.h"
#include "base/result.h"
#include "command/options.h"

namespace stepscope {

class Study;

// What the user says beside the profile.
struct AdviseInputs {
  std::string machine, dataset, trivial, synthetic, graph, rates;
  std::vector<std::string> logs;
  double disk_mb_per_s = 0;
  double bus_gb_per_s = 0;  // of collectives
  int64_t batch = 0, workers = -1, ranks_per_host = 0;
};
void AddInputOptions(OptionParser& parser, AdviseInputs* into);

Result<Given> LoadInputs(const AdviseInputs& inputs, Study& study);

// --config, for LoadSettings.
void AddConfigOption(OptionParser& parser, std::string* file);

Result<JsonValue> ReadJsonFile(const std::string& file);

}  // namespace stepscope
