#pragma once

#include "base/diagnostics.h"

namespace stepscope {

// Whether an unknown number of the file's events is not in the trace. IsDamage (io/input_damage.h)
// is this and faults of single places.
constexpr bool LosesEvents(Diagnostic diagnostic) {
  switch (diagnostic) {
    case Diagnostic::kFileTruncated:
    case Diagnostic::kMalformedJson:
    case Diagnostic::kGzipDamaged:
    case Diagnostic::kMalformedProtobuf:
    case Diagnostic::kDatabaseDamaged:
    case Diagnostic::kRecordingDamaged:
      return true;
    default:
      return false;
  }
}

}  // namespace stepscope
