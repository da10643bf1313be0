#pragma once

#include <string>

#include "tools/tfprof/advise.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {

// The wire bytes of what TensorFlow's Python functions return: GraphNodeProto for scope and graph
// views, MultiGraphNodeProto for op and code views. Op view is a chain: each row is the only child
// of the one before it.
std::string EncodeView(const Model& model, const View& view, int64_t step);
// AdviceProto.
std::string EncodeAdvice(const Advice& advice);

}  // namespace stepscope::tfprof
