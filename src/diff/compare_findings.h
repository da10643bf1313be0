#pragma once

#include "diff/diff.h"

namespace stepscope::diff {

// Fills Diff::findings, after the metrics and nodes. A finding that one side has and the other has
// not may be noise: rules compare times with limits, and a time near its limit is on either side of
// it by chance. It is beyond noise where enough runs agree (Fisher's exact test), or where the
// program itself changed: the same program on a host that was slower gets no new findings.
void CompareFindings(Diff& diff);

}  // namespace stepscope::diff
