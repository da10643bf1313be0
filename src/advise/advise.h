#pragma once

#include <map>
#include <optional>
#include <span>
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

// Every trace of a profile by itself, with the others as its fellow ranks where there are several.
std::vector<Advice> AdviseAll(const Profile& profile, std::span<const Report> reports,
                              const Limits& limits);

const Rule* FindRule(std::string_view id);

}  // namespace stepscope
