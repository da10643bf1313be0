#include "tools/tune/trial.h"

#include <algorithm>

#include "diff/judge.h"
#include "diff/statistics.h"

namespace stepscope::tune {
namespace {

bool IsJudged(const Trial& trial) {
  return trial.failure() == nullptr && trial.Lost().empty() && !trial.runs.empty();
}

bool AllHaveSteps(const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    if (!IsJudged(trial)) continue;
    for (const Measured& run : trial.runs) {
      if (!run.step_ns) return false;
    }
  }
  return true;
}

std::vector<int64_t> ValuesOf(const Trial& trial, Metric metric) {
  std::vector<int64_t> values;
  for (const Measured& run : trial.runs) {
    values.push_back(metric == Metric::kStep ? run.step_ns.value_or(0) : run.run_ns);
  }
  return values;
}

// The median over settings of a round's value against the setting's own median, last to first.
std::optional<double> DriftOf(const Tuned& tuned) {
  std::map<int64_t, std::vector<double>> rounds;
  for (const Trial& trial : tuned.trials) {
    if (!IsJudged(trial)) continue;
    const std::vector<int64_t> values = ValuesOf(trial, tuned.metric);
    const auto median = static_cast<double>(diff::MedianOf(values));
    if (median <= 0) continue;
    for (size_t i = 0; i < values.size(); ++i) {
      rounds[trial.runs[i].round].push_back(static_cast<double>(values[i]) / median);
    }
  }
  if (rounds.size() < 2) return std::nullopt;
  const auto middle = [](std::vector<double> values) {
    const auto at = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  return middle(rounds.rbegin()->second) / middle(rounds.begin()->second) - 1;
}

}  // namespace

std::string NameOf(const Setting& setting) {
  std::string name;
  for (const auto& [variable, value] : setting.variables) {
    if (!name.empty()) name += ' ';
    name += variable + '=' + value;
  }
  return name;
}

const Measured* Trial::failure() const {
  const auto at =
      std::find_if(runs.begin(), runs.end(), [](const Measured& run) { return run.failed(); });
  return at == runs.end() ? nullptr : &*at;
}

std::map<std::string, std::string> Trial::Lost() const {
  std::map<std::string, std::string> lost;
  for (const Measured& run : runs) lost.insert(run.lost.begin(), run.lost.end());
  return lost;
}

Tuned JudgeTrials(std::vector<Trial> trials, const diff::Settings& settings) {
  Tuned tuned;
  tuned.metric = AllHaveSteps(trials) ? Metric::kStep : Metric::kRun;
  tuned.trials = std::move(trials);
  if (tuned.trials.empty() || !IsJudged(tuned.trials.front())) return tuned;
  const diff::Judgement judgement{
      .evidence = diff::Evidence::kHost, .single_run = false, .steps = false};
  const std::vector<int64_t> base = ValuesOf(tuned.trials.front(), tuned.metric);
  tuned.trials.front().compared = diff::CompareSamples(base, base, judgement, settings);
  std::vector<Trial*> judged;
  std::vector<double> p;
  for (size_t i = 1; i < tuned.trials.size(); ++i) {
    Trial& trial = tuned.trials[i];
    if (!IsJudged(trial)) continue;
    trial.compared = diff::CompareSamples(base, ValuesOf(trial, tuned.metric), judgement, settings);
    judged.push_back(&trial);
    p.push_back(trial.compared.p.value_or(1));
  }
  const std::vector<double> q = diff::FalseDiscoveryRates(p);
  for (size_t i = 0; i < judged.size(); ++i) {
    judged[i]->compared.q = q[i];
    diff::Judge(judgement, settings, judged[i]->compared);
  }
  for (size_t i = 1; i < tuned.trials.size(); ++i) {
    const Trial& trial = tuned.trials[i];
    if (!IsJudged(trial) || trial.compared.result != diff::Outcome::kFaster) continue;
    const bool better =
        !tuned.best || trial.compared.now.median < tuned.trials[*tuned.best].compared.now.median;
    if (better) tuned.best = i;
  }
  tuned.drift = DriftOf(tuned);
  return tuned;
}

// Two samples that do not overlap give the least p: 2 of all (2n over n) ways to divide them.
int64_t RunsToDecide(size_t settings, double alpha) {
  constexpr int64_t kLeast = 4, kMost = 20;
  const auto compared = static_cast<double>(std::max<size_t>(settings, 1));
  double ways = 70;  // 8 over 4
  int64_t runs = kLeast;
  while (runs < kMost && 2 / ways * compared >= alpha) {
    ++runs;
    const auto n = static_cast<double>(runs);
    ways *= 2 * (2 * n - 1) / n;
  }
  return runs;
}

}  // namespace stepscope::tune
