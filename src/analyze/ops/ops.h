#pragma once

#include <vector>

#include "analyze/device_work.h"
#include "analyze/report.h"
#include "analyze/selection.h"

namespace stepscope {

struct OpTables {
  std::vector<OpRow> by_name;   // framework ops and user annotations, each kind its own rows
  std::vector<OpRow> by_shape;  // framework ops by (name, input shapes); empty without shapes
};

// What each op costs on the host and on devices; docs/report.md defines each column. Exact sums in
// a few passes over the slices: O(slices + device work).
OpTables AnalyzeOps(const Trace& trace, const Links& links, const DeviceWork& work,
                    const StepSelection& selection);

}  // namespace stepscope
