#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/tfprof/model.h"
#include "base/result.h"
#include "cli/view_options.h"
#include "read/checkpoint/checkpoint.h"

namespace stepscope {

struct LoadedModel {
  tfprof::Model model;
  std::optional<Checkpoint> checkpoint;
  std::vector<std::string> notes;  // what the readers and tfprof have to say
};

Result<LoadedModel> LoadModel(const ViewInputs& inputs);

}  // namespace stepscope
