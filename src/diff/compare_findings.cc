#include "diff/compare_findings.h"

#include <algorithm>
#include <map>

#include "diff/statistics.h"

namespace stepscope::diff {
namespace {

struct OfRuns {
  std::optional<RunFinding> first;
  size_t runs = 0;  // that have it
};

std::map<std::string, OfRuns> FindingsOf(const std::vector<Run>& runs) {
  std::map<std::string, OfRuns> found;
  for (const Run& run : runs) {
    for (const RunFinding& finding : run.findings) {
      OfRuns& known = found[finding.rule];
      if (!known.first) known.first = finding;
      ++known.runs;
    }
  }
  return found;
}

// By what does not depend on how busy the host was.
bool ProgramChanged(const Diff& diff) {
  const auto is_exact = [](const Metric& metric) {
    return metric.id == "device_work" || metric.id == "launches" || metric.id == "peak_memory";
  };
  const bool by_metric =
      std::any_of(diff.metrics.begin(), diff.metrics.end(), [&](const Metric& metric) {
        const Outcome result = metric.compared.result;
        return is_exact(metric) && (result == Outcome::kSlower || result == Outcome::kFaster);
      });
  return diff.ops_changed || by_metric;
}

bool AllAdvised(const std::vector<Run>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.advised; });
}

}  // namespace

void CompareFindings(Diff& diff) {
  if (!AllAdvised(diff.base) || !AllAdvised(diff.now)) return;
  const std::map<std::string, OfRuns> of_base = FindingsOf(diff.base),
                                      of_now = FindingsOf(diff.now);
  std::map<std::string, OfRuns> all = of_base;
  all.insert(of_now.begin(), of_now.end());
  const bool changed = ProgramChanged(diff);
  const size_t base_runs = diff.base.size(), now_runs = diff.now.size();
  for (const auto& [rule, unused] : all) {
    FindingChange change{.rule = rule, .base = {}, .now = {}};
    const auto base = of_base.find(rule), now = of_now.find(rule);
    const size_t in_base = base == of_base.end() ? 0 : base->second.runs;
    const size_t in_now = now == of_now.end() ? 0 : now->second.runs;
    if (2 * in_base > base_runs) change.base = base->second.first;
    if (2 * in_now > now_runs) change.now = now->second.first;
    if (!change.base && !change.now) continue;
    change.beyond_noise =
        change.base.has_value() != change.now.has_value() &&
        (changed || FisherExact(in_base, base_runs, in_now, now_runs) < diff.settings.alpha);
    diff.findings.push_back(std::move(change));
  }
}

}  // namespace stepscope::diff
