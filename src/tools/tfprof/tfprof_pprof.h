#pragma once

#include <string>

#include "base/result.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/options.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {

// The code view as pprof's profile.proto, not yet compressed; the same bytes as tfprof's. An Error
// with TensorFlow's words when not exactly one column is selected that pprof can show.
Result<std::string> CodePprof(const Model& model, const View& view, const Options& options);

}  // namespace stepscope::tfprof
