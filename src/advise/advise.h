#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/evidence.h"
#include "advise/finding.h"
#include "advise/rule.h"
#include "advise/settings.h"
#include "base/task_pool.h"

namespace stepscope {

// Runs the rules over the evidence and makes findings: severities, causes joined to what they
// explain, savings replayed. Pure; same evidence, same advice.
Advice Advise(const Evidence& evidence, const AdviseOptions& options, TaskPool& pool);

}  // namespace stepscope
