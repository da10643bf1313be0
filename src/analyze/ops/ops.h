#pragma once

#include <cstdint>
#include <vector>

#include "analyze/selection.h"
#include "base/ids.h"
#include "base/time.h"
#include "link/device_work.h"
#include "trace/kind.h"

namespace stepscope {

struct OpRow {
  StringId name = kEmptyString;
  Kind kind = Kind::kOp;
  StringId input_dims = kEmptyString;  // ops_by_shape only
  uint64_t calls = 0, calls_outermost = 0, calls_launching = 0;
  DurationNs host_self, host_total, host_total_outermost, host_self_excl_runtime;
  DurationNs device_self, device_total, device_total_outermost, device_self_union;
  DurationNs tensor_core, tensor_core_total;  // of device_self, of device_total
  bool tensor_core_eligible = false;
};

struct OpTables {
  std::vector<OpRow> by_name;   // framework ops and user annotations, each kind its own rows
  std::vector<OpRow> by_shape;  // framework ops by (name, input shapes); empty without shapes
};

// What each op costs on the host and on devices; docs/report.md defines each column. Exact sums in
// a few passes over the slices: O(slices + device work).
OpTables AnalyzeOps(const Trace& trace, const Links& links, const DeviceWork& work,
                    const StepSelection& selection);

}  // namespace stepscope
