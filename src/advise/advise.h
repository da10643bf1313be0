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

// Advises on every trace of a profile. If the traces are ranks of one job, each sees the others.
// `graphs` is empty or has one graph per trace, without nodes where a trace has none.
std::vector<Advice> AdviseAll(const Profile& profile, std::span<const Report> reports,
                              const Settings& settings, TaskPool& pool,
                              std::span<const GraphDef> graphs = {});

// The traces as ranks of one job: each names its rank, all ranks differ, and all name the same
// number of ranks. Empty if that does not hold.
std::vector<RankEvidence> RanksOfOneJob(const Profile& profile, std::span<const Report> reports);

const Rule* FindRule(std::string_view id);

}  // namespace stepscope
