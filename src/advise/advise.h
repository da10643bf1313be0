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
#include "advise/settings.h"
#include "base/task_pool.h"
#include "read/graph_def/graph_def.h"

namespace stepscope {

struct AdviseOptions {
  std::vector<std::string> only;               // ids; empty: all
  std::map<std::string, std::string> ignored;  // id → reason
};

// Runs the rules over the evidence and makes findings: severities, causes joined to what they
// explain, savings replayed. Pure; same evidence, same advice.
Advice Advise(const Evidence& evidence, const AdviseOptions& options, TaskPool& pool);

// Every trace of a profile by itself, with the others as its fellow ranks where they are of one
// job, and with its graph: one a trace, without nodes where there is none, or no graphs at all.
std::vector<Advice> AdviseAll(const Profile& profile, std::span<const Report> reports,
                              const Settings& settings, TaskPool& pool,
                              std::span<const GraphDef> graphs = {});

// The traces as ranks of one job: each says which rank it is, no two the same, and of how many.
// Empty where they are not.
std::vector<RankEvidence> RanksOfOneJob(const Profile& profile, std::span<const Report> reports);

const Rule* FindRule(std::string_view id);

}  // namespace stepscope
