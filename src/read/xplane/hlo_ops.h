#pragma once

#include <string_view>
#include <vector>

#include "read/xplane/hlo_proto.h"
#include "read/xplane/plane_context.h"
#include "read/xplane/space.h"
#include "trace/trace.h"

namespace stepscope::xplane {

// Parameters, tuples and the like: they run nothing.
bool CostsNothing(std::string_view opcode);

HloNames NamesOfHlo(const Space& space, const std::vector<HloModule>& modules);

// Fills trace.hlo_ops from the modules that the profile carries and from what TPU planes say of
// each op (category, flops, bytes, source). Instructions that cost nothing are left out.
void AddHloOps(const Space& space, const std::vector<HloModule>& modules, Trace& trace);

}  // namespace stepscope::xplane
