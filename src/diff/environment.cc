#include "diff/environment.h"

#include <algorithm>
#include <set>

#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

constexpr std::string_view kWorldSize = "world_size", kDevices = "devices", kRanks = "ranks",
                           kFramework = "framework", kHost = "CPU";

std::string ValueOf(const Run& run, const std::string& what) {
  const auto at = run.environment.find(what);
  return at == run.environment.end() ? std::string() : at->second;
}

// What a side says; runs that disagree are joined.
std::string ValueOf(const std::vector<Run>& runs, const std::string& what) {
  std::set<std::string> values;
  for (const Run& run : runs) {
    if (std::string value = ValueOf(run, what); !value.empty()) values.insert(std::move(value));
  }
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

bool HostOnly(const std::vector<Run>& runs) {
  return std::ranges::all_of(runs, [](const Run& run) { return run.host_only; });
}

Severity SeverityOf(std::string_view what) {
  const bool breaks =
      what == kWorldSize || what == kDevices || what == kRanks || what == kFramework;
  return breaks ? Severity::kBreaks : Severity::kNote;
}

bool Breaks(const Diff& diff, std::initializer_list<std::string_view> names) {
  return std::any_of(diff.environment.begin(), diff.environment.end(), [&](const auto& change) {
    return change.severity == Severity::kBreaks &&
           std::find(names.begin(), names.end(), change.what) != names.end();
  });
}

}  // namespace

void CompareEnvironment(Diff& diff) {
  std::set<std::string> names;
  for (const auto* side : {&diff.base, &diff.now}) {
    for (const Run& run : *side) {
      for (const auto& [name, value] : run.environment) names.insert(name);
    }
  }
  for (const std::string& name : names) {
    std::string base = ValueOf(diff.base, name), now = ValueOf(diff.now, name);
    if (name == kDevices && base.empty() && HostOnly(diff.base)) base = kHost;
    if (name == kDevices && now.empty() && HostOnly(diff.now)) now = kHost;
    // What one side does not say is not known to differ.
    if (base == now || base.empty() || now.empty()) continue;
    diff.environment.push_back({name, std::move(base), std::move(now), SeverityOf(name)});
  }
  const uint32_t base_ranks = diff.base.front().ranks, now_ranks = diff.now.front().ranks;
  if (base_ranks != now_ranks) {
    diff.environment.push_back({std::string(kRanks), std::to_string(base_ranks),
                                std::to_string(now_ranks), Severity::kBreaks});
  }
  if (SameRecording(diff)) diff.notes += Say("diff.same-file");
  if (diff.base.size() != diff.now.size() && diff.single_run) {
    diff.notes += Say("diff.uneven-runs", diff.base.size(), diff.now.size());
  }
}

bool IsComparable(const Diff& diff) {
  return diff.settings.force || !Breaks(diff, {kWorldSize, kRanks});
}

bool BreaksTime(const Diff& diff) {
  return !diff.settings.force && Breaks(diff, {kWorldSize, kRanks, kDevices, kFramework});
}

bool SameRecording(const Diff& diff) {
  return diff.base.size() == diff.now.size() &&
         std::equal(diff.base.begin(), diff.base.end(), diff.now.begin(),
                    [](const Run& a, const Run& b) { return a.content == b.content; });
}

}  // namespace stepscope::diff
