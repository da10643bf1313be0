#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "advise/advise.h"
#include "analyze/report.h"
#include "base/task_pool.h"
#include "read/graph_def/graph_def.h"
#include "read/open.h"

// Advice for real profiles, as the program gives it.
namespace stepscope {

struct AdvisedProfile {
  Profile profile;
  std::vector<LinkedTrace> linked;
  std::vector<Report> reports;
  std::vector<Advice> advice;  // one per trace
};

inline Advice AdviceWith(const LinkedTrace& linked, const Report& report, const Given& given,
                         const std::vector<const LinkedTrace*>& ranks = {}) {
  static const Limits kDefaults;
  TaskPool pool(1);
  Evidence evidence(linked, report, kDefaults, pool);
  evidence.Use(given);
  std::vector<RankCollectives> collectives;
  for (const LinkedTrace* rank : ranks) {
    if (rank == &linked) evidence.own_rank = collectives.size();
    collectives.push_back(CollectivesOfRank(*rank));
  }
  for (const RankCollectives& rank : collectives) evidence.ranks.push_back(&rank);
  return Advise(evidence, {}, pool);
}

// The files are one profile, or the ranks of one job: these see each other.
inline AdvisedProfile AdviseFiles(const std::vector<std::string>& paths, const Given& given = {}) {
  TaskPool pool(2);
  Result<Profile> opened = OpenProfile(paths, {}, pool);
  if (!opened) throw std::runtime_error(paths.front() + ": " + InEnglish(opened.error().sentence));
  AdvisedProfile advised{std::move(*opened), {}, {}, {}};
  const Profile& profile = advised.profile;
  for (size_t t = 0; t < profile.traces.size(); ++t) {
    advised.linked.push_back(LinkTrace(profile.traces[t], {}, pool));
    advised.reports.push_back(Analyze(advised.linked.back(), profile.diagnostics[t], {}, pool));
  }
  std::vector<const LinkedTrace*> ranks;
  for (const LinkedTrace& linked : advised.linked) {
    if (advised.linked.size() > 1 && linked.trace.facts.rank) ranks.push_back(&linked);
  }
  for (size_t t = 0; t < profile.traces.size(); ++t) {
    advised.advice.push_back(AdviceWith(advised.linked[t], advised.reports[t], given, ranks));
  }
  return advised;
}

// A finding by the rule itself, or one that the rule explains.
inline const Finding* FindingOf(const Advice& advice, std::string_view rule) {
  for (const Finding& finding : advice.findings) {
    if (finding.rule == rule) return &finding;
    for (const ExplainedBy& cause : finding.causes) {
      if (cause.rule == rule) return &finding;
    }
  }
  return nullptr;
}

inline bool Fired(const Advice& advice, std::string_view rule) {
  return std::find(advice.fired.begin(), advice.fired.end(), rule) != advice.fired.end();
}

inline const CannotTellRow* CannotTellOf(const Advice& advice, std::string_view rule) {
  for (const CannotTellRow& row : advice.cannot_tell) {
    if (row.rule == rule) return &row;
  }
  return nullptr;
}

}  // namespace stepscope
