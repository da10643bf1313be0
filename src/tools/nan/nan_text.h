#pragma once

#include <string>
#include <vector>

#include "present/style.h"
#include "read/tfevents/run_log.h"
#include "tools/nan/nan_hunt.h"
#include "tools/nan/tfdbg/check_numerics_log.h"
#include "tools/nan/tfdbg/debug_dump.h"

namespace stepscope {

enum class NanDetail : uint8_t { kFirst, kAll };

std::string NanHuntText(const DebugDump& dump, const NanHunt& hunt, NanDetail detail,
                        const Style& style);
// docs/nan.md, "stepscope.nan/1".
std::string NanHuntJson(const DebugDump& dump, const NanHunt& hunt, Language language);
// One row per bad output.
std::string NanHuntCsv(const NanHunt& hunt);
// The graph of the source (of an eager one: the first graph that went bad): bad ops red, the first
// bold, at most a few hundred ops.
std::string NanHuntDot(const DebugDump& dump, const NanHunt& hunt);

// From a log.
std::string NanMessagesText(const std::vector<CheckNumericsMessage>& messages, NanDetail detail,
                            const Style& style);
std::string NanMessagesJson(const std::vector<CheckNumericsMessage>& messages, Language language);
std::string NanMessagesCsv(const std::vector<CheckNumericsMessage>& messages, Language language);

// From event files: scalars that stopped being finite, the first one first.
struct NanScalar {
  std::string run;
  std::string tag;
  ScalarPoint first;
  std::optional<ScalarPoint> last_finite;
};
std::string NanScalarsText(const std::vector<NanScalar>& scalars, const Style& style);
std::string NanScalarsJson(const std::vector<NanScalar>& scalars, Language language);
std::string NanScalarsCsv(const std::vector<NanScalar>& scalars);

// "8 of 8 -Inf", "NaN", "NaN or Inf": as much as is known.
Message InWords(const TensorHealth& health);

}  // namespace stepscope
