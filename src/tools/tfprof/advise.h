#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/tfprof/model.h"

namespace stepscope::tfprof {

struct CheckerReport {
  std::string_view checker;
  std::vector<std::string> reports;  // may hold several lines each
};

struct Advice {
  std::vector<CheckerReport> checkers;  // by name
  std::vector<std::string> notes;       // what tfprof says on standard error
};

// The names of tfprof's checkers; JobChecker has no rules outside of Google.
inline constexpr std::string_view kCheckers[] = {
    "AcceleratorUtilizationChecker", "ExpensiveOperationChecker", "JobChecker", "OperationChecker"};

// tfprof's `advise`: its checkers with its text. `stepscope advise` goes further.
Advice Advise(const Model& model, const std::vector<std::string>& wanted_checkers);

}  // namespace stepscope::tfprof
