#include "advise/advise.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "advise/words.h"
#include "words/advice.h"

namespace stepscope {
namespace {

constexpr SayFrom<kAdviceTexts> Say;

// A finding and the changes its saving was replayed with.
struct Candidate {
  Finding finding;
  std::vector<Change> changes;
  std::string_view explains;
};

FindingSeverity SeverityOf(const Evidence& evidence, const Fires& fires) {
  if (fires.gate) return fires.at_most;
  const double share = evidence.Share(fires.saving_hi);
  FindingSeverity severity = FindingSeverity::kLow;
  if (share >= evidence.limits[Limit::kSeverityMedium]) severity = FindingSeverity::kMedium;
  if (share >= evidence.limits[Limit::kSeverityHigh]) severity = FindingSeverity::kHigh;
  return std::max(severity, fires.at_most);
}

Saving SavingOf(const ReplayOfSteps& replay, const Fires& fires) {
  Saving saving{.lo = {}, .hi = fires.saving_hi, .replayed = false};
  if (fires.gate || fires.changes.empty()) return saving;
  const std::optional<DurationNs> replayed = replay.Saving(fires.changes);
  if (!replayed) return saving;
  saving.replayed = true;
  saving.lo = std::min(*replayed, saving.hi);
  if (fires.lo_at_most) saving.lo = std::min(saving.lo, *fires.lo_at_most);
  saving.lo = std::max(saving.lo, DurationNs{});
  return saving;
}

// Says why the saving has no lower bound; empty if it has one, or if the rule itself says why.
Message NoPromise(const ReplayOfSteps& replay, const Fires& fires, const Saving& saving) {
  if (fires.lo_at_most && fires.lo_at_most->ns == 0) return {};
  if (saving.replayed) return saving.lo.ns > 0 ? Message() : Say("advice.no-gain");
  if (fires.changes.empty()) return Say("advice.no-replay");
  return replay.step_count() == 0 ? Say("advice.no-step") : Say("advice.unlike");
}

Messages NoteOf(const ReplayOfSteps& replay, const Fires& fires, const Saving& saving) {
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
  if (Message why = NoPromise(replay, fires, saving); !why.empty()) note += std::move(why);
  return note;
}

Candidate Make(const Evidence& evidence, const Rule& rule, const Saving& saving, Messages note,
               Fires fires) {
  Candidate candidate;
  Finding& finding = candidate.finding;
  finding.rule = rule.id;
  finding.severity = SeverityOf(evidence, fires);
  finding.saving = saving;
  finding.saving_note = std::move(note);
  finding.title = std::move(fires.title);
  finding.sentence = std::move(fires.sentence);
  finding.evidence = std::move(fires.evidence);
  finding.fix = fires.fix.empty() ? FixOf(rule.id, evidence.framework) : std::move(fires.fix);
  finding.refuted_by = RuleText(rule.id, "refuted_by", evidence.limits);
  finding.confidence = fires.confidence;
  candidate.changes = std::move(fires.changes);
  candidate.explains = rule.explains;
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
// two.
void JoinCauses(std::vector<Candidate>& candidates) {
  const auto find = [&](std::string_view rule) {
    return std::find_if(candidates.begin(), candidates.end(),
                        [&](const Candidate& c) { return c.finding.rule == rule; });
  };
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    const auto parent = candidate.explains.empty() ? candidates.end() : find(candidate.explains);
    if (parent == candidates.end()) continue;
    Finding& whole = parent->finding;
    whole.causes.push_back({candidate.finding.rule, candidate.finding.title});
    AddFix(candidate.finding.fix, whole.causes.size() == 1, whole.fix);
    whole.saving.hi = std::max(whole.saving.hi, candidate.finding.saving.hi);
    whole.saving.lo =
        std::max(whole.saving.lo, std::min(candidate.finding.saving.lo, whole.saving.hi));
    whole.severity = std::min(whole.severity, candidate.finding.severity);
  }
  std::erase_if(candidates, [&](const Candidate& c) {
    return !c.explains.empty() && find(c.explains) != candidates.end();
  });
}

// An idle device is a symptom: if its cause is among the findings, it is only worth a note.
void LowerSymptoms(std::vector<Candidate>& candidates) {
  const bool has_cause = std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) {
    return c.finding.saving.hi.ns > 0 && c.finding.severity <= FindingSeverity::kMedium;
  });
  for (Candidate& candidate : candidates) {
    if (has_cause && candidate.finding.rule == "gpu-low-utilization") {
      candidate.finding.severity = FindingSeverity::kNote;
    }
  }
}

bool Contains(const std::vector<std::string>& list, std::string_view id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

Advice Advise(const Evidence& evidence, const AdviseOptions& options, TaskPool& pool) {
  Advice advice;
  advice.has_steps = evidence.has_steps();
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
  std::vector<Change> all;
  for (size_t r = 0; r < rules.size(); ++r) {
    if (auto* cannot = std::get_if<CannotTell>(&verdicts[r])) {
      advice.cannot_tell.push_back({rules[r]->id, std::move(cannot->needs)});
      continue;
    }
    const auto* fires = std::get_if<Fires>(&verdicts[r]);
    if (fires == nullptr || (!fires->gate && !evidence.WorthSaying(fires->saving_hi))) {
      advice.quiet.push_back(rules[r]->id);
      continue;
    }
    advice.fired.push_back(rules[r]->id);
    fired.push_back(r);
    if (!fires->gate) all.insert(all.end(), fires->changes.begin(), fires->changes.end());
  }

  // The graph is built only where there is something to replay.
  const Steps none;
  const ReplayOfSteps replay(evidence.trace, evidence.linked.links,
                             all.empty() ? none : evidence.linked.steps, pool);
  std::vector<Saving> savings(fired.size() + 1);
  pool.ForEach(savings.size(), [&](size_t i) {
    if (i < fired.size()) {
      savings[i] = SavingOf(replay, std::get<Fires>(verdicts[fired[i]]));
    } else if (!all.empty()) {
      advice.joint_saving = replay.Saving(all);
    }
  });
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < fired.size(); ++i) {
    Fires& fires = std::get<Fires>(verdicts[fired[i]]);
    Messages note = NoteOf(replay, fires, savings[i]);
    candidates.push_back(
        Make(evidence, *rules[fired[i]], savings[i], std::move(note), std::move(fires)));
  }
  JoinCauses(candidates);
  LowerSymptoms(candidates);
  for (Candidate& c : candidates) advice.findings.push_back(std::move(c.finding));
  std::stable_sort(advice.findings.begin(), advice.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::tuple(a.severity, -a.saving.hi.ns, a.rule) <
                            std::tuple(b.severity, -b.saving.hi.ns, b.rule);
                   });
  return advice;
}

std::vector<const LinkedTrace*> RanksOfOneJob(std::span<const LinkedTrace* const> traces) {
  std::set<int64_t> seen;
  for (const LinkedTrace* linked : traces) {
    const RunFacts& facts = linked->trace.facts;
    if (!facts.rank || !seen.insert(*facts.rank).second ||
        facts.world_size != traces.front()->trace.facts.world_size) {
      return {};
    }
  }
  if (traces.size() < 2) return {};
  return {traces.begin(), traces.end()};
}

}  // namespace stepscope
