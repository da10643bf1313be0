#pragma once

#include <string>
#include <string_view>

#include "analyze/report.h"
#include "base/diagnostics.h"
#include "base/message.h"
#include "link/step_names.h"
#include "trace/device_id.h"
#include "trace/trace.h"

// The words of the report in one place, so that text and JSON say the same.
namespace stepscope {

Message CauseInWords(Cause cause);  // "waiting for input"
// The same for one profile: what a session's executor does and no one recorded has a name.
Message CauseInWords(Cause cause, const Steps& steps);
Message BoundInWords(BoundBy bound);  // "input", "kernel launches"

// "Waiting for input takes 71.3 % of the median step (ProfilerStep#6, gpu:0)."
Message VerdictSentence(const LinkedTrace& linked, const Report& report);

// The sentence of a quality entry with its count in it.
Message QualitySentence(const Diagnostics::Entry& entry);
std::string_view NameOf(Severity severity);  // "info", "warning", "error"

Message InWords(WhyUnused why);  // "warm-up"

}  // namespace stepscope
