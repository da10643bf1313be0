#include "advise/advise.h"

#include <algorithm>
#include <tuple>

#include "advise/savings.h"
#include "advise/words.h"
#include "words/advice.h"

namespace stepscope {
namespace {

constexpr SayFrom<kAdviceTexts> Say;

// A finding and the changes its saving was replayed with.
struct Candidate {
  Finding finding;
  std::vector<Change> changes;
  const Rule* rule = nullptr;
  FindingSeverity at_most = FindingSeverity::kHigh;
  bool gate = false;
  std::optional<DurationNs> gain;  // of its changes alone, once it was asked for
};

DurationNs GainAlone(const Evidence& evidence, Candidate& candidate) {
  if (!candidate.gain) candidate.gain = ReplayedGain(evidence, candidate.changes);
  return *candidate.gain;
}

FindingSeverity SeverityOf(const Evidence& evidence, const Candidate& candidate) {
  if (candidate.gate) return candidate.at_most;
  const double share = evidence.RealShare(candidate.finding.saving.likely);
  FindingSeverity severity = FindingSeverity::kLow;
  if (share >= evidence.limits[Limit::kSeverityMedium]) severity = FindingSeverity::kMedium;
  if (share >= evidence.limits[Limit::kSeverityHigh]) severity = FindingSeverity::kHigh;
  return std::max(severity, candidate.at_most);
}

// Says what the saving depends on where the replay could not tell; empty if the rule says it.
Message Depends(const Evidence& evidence, const Fires& fires, const Saving& saving) {
  if (saving.replay_lo.ns > 0 || fires.lo_at_most || !fires.saving_note.empty()) return {};
  if (saving.replayed) return Say("advice.no-gain");
  return fires.changes.empty() || evidence.report.replay->step_count() == 0
             ? Say("advice.no-replay")
             : Say("advice.unlike");
}

Messages NoteOf(const Evidence& evidence, const Fires& fires, const Saving& saving) {
  Messages note = fires.saving_note;
  if (fires.gate) return note;
  const bool has_lo = saving.lo.ns > 0 && !fires.lo_means.empty();
  if (has_lo && !fires.hi_means.empty()) {
    note += Say("advice.between", fires.lo_means, fires.hi_means);
  } else if (has_lo) {
    note += Say("advice.at-least", fires.lo_means);
  } else if (!fires.hi_means.empty()) {
    note += Say("advice.at-most", fires.hi_means);
  }
  if (Message why = Depends(evidence, fires, saving); !why.empty()) note += std::move(why);
  return note;
}

Candidate Make(const Evidence& evidence, const Rule& rule, const Saving& saving, Fires fires) {
  Candidate candidate;
  candidate.rule = &rule;
  candidate.at_most = fires.at_most;
  candidate.gate = fires.gate;
  Finding& finding = candidate.finding;
  finding.rule = rule.id;
  finding.saving = saving;
  finding.saving_note = NoteOf(evidence, fires, saving);
  finding.title = std::move(fires.title);
  finding.sentence = std::move(fires.sentence);
  finding.evidence = std::move(fires.evidence);
  finding.fix = fires.fix.empty() ? FixOf(rule.id, evidence.framework) : std::move(fires.fix);
  finding.refuted_by = RuleText(rule.id, "refuted_by", evidence.limits);
  finding.confidence = fires.confidence;
  candidate.changes = std::move(fires.changes);
  finding.severity = SeverityOf(evidence, candidate);
  return candidate;
}

// The causes say more exactly what to write than the finding itself; each gets its own line.
void AddFix(const Messages& fix, bool first, Messages& whole) {
  if (fix.empty()) return;
  if (first) whole.clear();
  for (const Message& line : fix) {
    if (std::find(whole.begin(), whole.end(), line) == whole.end()) whole += line;
  }
}

// Moves findings that explain another one into it, so that there is one finding with its cause, not
// two. What mending the causes gives is what the finding promises.
void JoinCauses(const Evidence& evidence, std::vector<Candidate>& candidates) {
  const auto find = [&](std::string_view rule) {
    return std::find_if(candidates.begin(), candidates.end(),
                        [&](const Candidate& c) { return c.finding.rule == rule; });
  };
  for (const Candidate& cause : candidates) {
    const auto parent =
        cause.rule->explains.empty() ? candidates.end() : find(cause.rule->explains);
    if (parent == candidates.end()) continue;
    Finding& whole = parent->finding;
    whole.causes.push_back({cause.finding.rule, cause.finding.title});
    AddFix(cause.finding.fix, whole.causes.size() == 1, whole.fix);
    // A symptom promises what mending its best cause gives.
    const bool better = cause.finding.saving.likely > whole.saving.likely;
    const bool first = parent->rule->role == Role::kSymptom && whole.causes.size() == 1;
    if (!cause.gate && (better || first)) {
      whole.saving = cause.finding.saving;
      parent->changes = cause.changes;
      parent->at_most = cause.at_most;
      whole.saving_note = cause.finding.saving_note;
    }
    whole.severity = SeverityOf(evidence, *parent);
  }
  std::erase_if(candidates, [&](const Candidate& c) {
    return !c.rule->explains.empty() && find(c.rule->explains) != candidates.end();
  });
}

// A cause that takes this part of a symptom away explains it: it is the first thing to write.
constexpr int64_t kWorthNaming = 5;

// A symptom that a cause among the findings explains ranks by what is left of it when the cause is
// mended, and names the cause.
void RankSymptoms(const Evidence& evidence, std::vector<Candidate>& candidates) {
  for (Candidate& symptom : candidates) {
    if (symptom.rule->role != Role::kSymptom || symptom.gate || symptom.changes.empty()) continue;
    const DurationNs alone = GainAlone(evidence, symptom);
    DurationNs left = symptom.finding.saving.likely;
    for (Candidate& cause : candidates) {
      const DurationNs worth = cause.finding.saving.likely;
      if (cause.rule->role != Role::kCause || cause.gate || cause.changes.empty()) continue;
      if (worth.ns * kWorthNaming < symptom.finding.saving.likely.ns) continue;
      std::vector<Change> both = cause.changes;
      both.insert(both.end(), symptom.changes.begin(), symptom.changes.end());
      const DurationNs rest = ReplayedGain(evidence, both) - GainAlone(evidence, cause);
      if (rest.ns > alone.ns - alone.ns / kWorthNaming) continue;
      symptom.finding.causes.push_back({cause.finding.rule, cause.finding.title});
      left = std::min(left, std::max(rest, DurationNs{}));
      // The cause stands first.
      if (left >= worth) left = DurationNs{std::max<int64_t>(worth.ns - 1, 0)};
    }
    if (left == symptom.finding.saving.likely) continue;
    symptom.finding.saving.likely = left;
    symptom.finding.severity = SeverityOf(evidence, symptom);
  }
}

// An idle device is a symptom: if its cause is among the findings, it is only worth a note.
void LowerIdleDevice(std::vector<Candidate>& candidates) {
  const bool has_cause = std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) {
    return c.finding.saving.likely.ns > 0 && c.finding.severity <= FindingSeverity::kMedium;
  });
  for (Candidate& candidate : candidates) {
    if (has_cause && candidate.finding.rule == "gpu-low-utilization") {
      candidate.finding.severity = FindingSeverity::kNote;
    }
  }
}

// What is worth a finding: at least one percent of the step, and more than the noise of what it
// changes. The noise of the steps is the host's; device work does not share it.
bool WorthAFinding(const Evidence& evidence, const Fires& fires) {
  if (fires.gate) return true;
  if (OnlyDevice(evidence, fires.changes)) {
    return evidence.Share(fires.saving_hi) >= evidence.limits[Limit::kWorthSaying];
  }
  return evidence.WorthSaying(fires.saving_hi);
}

// All changes together gain no more than each by itself promises.
std::optional<DurationNs> Together(const Evidence& evidence,
                                   const std::vector<Candidate>& candidates) {
  std::vector<Change> all;
  DurationNs sum{};
  for (const Candidate& candidate : candidates) {
    if (candidate.gate) continue;
    all.insert(all.end(), candidate.changes.begin(), candidate.changes.end());
    sum += candidate.finding.saving.replay_hi;
  }
  if (all.empty() || !evidence.report.replay->trusted()) return std::nullopt;
  return std::min(ReplayedGain(evidence, all), sum);
}

bool Contains(const std::vector<std::string>& list, std::string_view id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

Advice Advise(const Evidence& evidence, const AdviseOptions& options, TaskPool& pool) {
  Advice advice;
  advice.has_steps = evidence.has_steps();
  advice.step = evidence.step();
  if (advice.has_steps) advice.unprofiled = evidence.report.step_statistics.unprofiled_median;
  std::vector<const Rule*> rules;
  for (const Rule& rule : AllRules()) {
    if (!options.only.empty() && !Contains(options.only, rule.id)) continue;
    const auto ignored = options.ignored.find(std::string(rule.id));
    if (ignored == options.ignored.end()) {
      rules.push_back(&rule);
    } else {
      advice.ignored.push_back({rule.id, ignored->second});
    }
  }
  std::vector<RuleVerdict> verdicts(rules.size());
  pool.ForEach(rules.size(), [&](size_t r) { verdicts[r] = rules[r]->check(evidence); });

  std::vector<size_t> fired;
  for (size_t r = 0; r < rules.size(); ++r) {
    if (auto* cannot = std::get_if<CannotTell>(&verdicts[r])) {
      advice.cannot_tell.push_back({rules[r]->id, std::move(cannot->needs)});
      continue;
    }
    const auto* fires = std::get_if<Fires>(&verdicts[r]);
    if (fires == nullptr || !WorthAFinding(evidence, *fires)) {
      advice.quiet.push_back(rules[r]->id);
      continue;
    }
    advice.fired.push_back(rules[r]->id);
    fired.push_back(r);
  }

  std::vector<Saving> savings(fired.size());
  pool.ForEach(savings.size(), [&](size_t i) {
    savings[i] = SavingOf(evidence, std::get<Fires>(verdicts[fired[i]]));
  });
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < fired.size(); ++i) {
    candidates.push_back(Make(evidence, *rules[fired[i]], savings[i],
                              std::move(std::get<Fires>(verdicts[fired[i]]))));
  }
  JoinCauses(evidence, candidates);
  RankSymptoms(evidence, candidates);
  LowerIdleDevice(candidates);
  advice.joint_saving = Together(evidence, candidates);
  for (Candidate& c : candidates) advice.findings.push_back(std::move(c.finding));
  std::stable_sort(advice.findings.begin(), advice.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::tuple(a.severity, -a.saving.likely.ns, a.rule) <
                            std::tuple(b.severity, -b.saving.likely.ns, b.rule);
                   });
  return advice;
}

}  // namespace stepscope
