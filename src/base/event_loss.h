#pragma once

#include "base/diagnostics.h"

namespace stepscope {

// Whether it means that the file is damaged: events that it had are not in the trace.
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
