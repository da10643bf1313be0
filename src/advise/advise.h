#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/evidence.h"
#include "advise/finding.h"
#include "advise/rule.h"

namespace stepscope {

struct AdviseOptions {
  std::vector<std::string> only;     // ids; empty: all
  std::vector<std::string> ignored;  // ids
};

// Runs the rules over the evidence and makes findings: severities, causes joined to what they
// explain, savings replayed. Pure; same evidence, same advice.
Advice Advise(const Evidence& evidence, const AdviseOptions& options);

const Rule* FindRule(std::string_view id);

}  // namespace stepscope
