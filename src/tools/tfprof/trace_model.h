#pragma once

#include "link/links.h"
#include "link/steps.h"
#include "read/xplane/hlo_graph.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/view.h"
#include "trace/trace.h"

namespace stepscope::tfprof {

// tfprof's views for any profile. A node is an op at one place of the program: below its modules
// (PyTorch), its name scope (TensorFlow, JAX) or, for the code view, its Python stack. Times are an
// op's own: child ops keep theirs, device work goes to the op that launched it. What the profile
// does not record is absent, not 0.
// For the graph view device work has nodes of its own, kernels by name and XLA's by instruction,
// and nodes have the inputs that the profile records (data_flow.h).
Model ModelOfTrace(const Trace& trace, const Links& links, const Steps& steps, const HloGraph& hlo,
                   ViewKind kind);

}  // namespace stepscope::tfprof
