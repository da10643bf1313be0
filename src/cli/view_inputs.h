#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/tfprof/model.h"
#include "analyze/tfprof/view.h"
#include "base/result.h"
#include "cli/view_options.h"
#include "link/links.h"
#include "link/steps.h"
#include "read/checkpoint/checkpoint.h"
#include "trace/trace.h"

namespace stepscope {

// A profile that is no TensorFlow model; its nodes depend on the view.
struct TraceSource {
  Profile profile;
  Links links;
  Steps steps;
};

struct LoadedModel {
  tfprof::Model model;
  std::optional<Checkpoint> checkpoint;
  std::vector<std::string> notes;  // what the readers and tfprof have to say
  std::unique_ptr<TraceSource> trace;

  // Makes `model` the one for this view.
  void PrepareFor(tfprof::ViewKind kind);
};

Result<LoadedModel> LoadModel(const ViewInputs& inputs);

}  // namespace stepscope
