#include "ranks/flight_recorder.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <tuple>

#include "ranks/collective.h"

namespace stepscope {
namespace {

// What one rank did in one group.
struct OfRank {
  std::map<int64_t, const FlightEntry*> calls;  // by sequence
  int64_t first() const { return calls.begin()->first; }
  int64_t last() const { return calls.rbegin()->first; }
};

class FlightAnalysis {
 public:
  explicit FlightAnalysis(std::span<const FlightDump> dumps) : dumps_(dumps) {}

  std::vector<FlightFinding> Run() {
    for (const FlightDump& dump : dumps_) {
      for (const FlightEntry& entry : dump.entries) {
        if (entry.sequence < 0) continue;
        if (entry.point_to_point) {
          AddPair(entry);
        } else {
          groups_[entry.group][dump.rank].calls[entry.sequence] = &entry;
        }
      }
    }
    for (const auto& [name, ranks] : groups_) AnalyzeGroup(name, ranks);
    AddUnmatched();
    AddWithoutDump();
    std::ranges::stable_sort(findings_, {}, &FlightFinding::kind);
    return std::move(findings_);
  }

 private:
  using Ranks = std::map<int64_t, OfRank>;

  void AddPair(const FlightEntry& entry);
  void AnalyzeGroup(const std::string& name, const Ranks& ranks);
  void FindMissing(const std::string& name, const Ranks& ranks);
  void FindDifference(const std::string& name, const Ranks& ranks);
  void FindState(const std::string& name, const Ranks& ranks);
  void AddUnmatched();
  void AddWithoutDump();
  std::vector<int64_t> MembersOf(const std::string& name) const;

  std::span<const FlightDump> dumps_;
  std::map<std::string, Ranks> groups_;
  // Sends and receives from one rank to another: "0->1".
  struct Pair {
    uint64_t sends = 0, receives = 0;
    const FlightEntry *last_send = nullptr, *last_receive = nullptr;
  };
  std::map<std::pair<std::string, std::string>, Pair> pairs_;
  std::vector<FlightFinding> findings_;
};

// "nccl:send 0->1" and "nccl:recv 1<-0" are one pair.
void FlightAnalysis::AddPair(const FlightEntry& entry) {
  const size_t space = entry.name.find(' ');
  if (space == std::string::npos) return;
  const std::string ranks = entry.name.substr(space + 1);
  const size_t there = ranks.find("->"), back = ranks.find("<-");
  if (there != std::string::npos) {
    Pair& pair = pairs_[{entry.group, ranks}];
    ++pair.sends;
    pair.last_send = &entry;
  } else if (back != std::string::npos) {
    Pair& pair = pairs_[{entry.group, ranks.substr(back + 2) + "->" + ranks.substr(0, back)}];
    ++pair.receives;
    pair.last_receive = &entry;
  }
}

std::vector<int64_t> FlightAnalysis::MembersOf(const std::string& name) const {
  for (const FlightDump& dump : dumps_) {
    const auto at = dump.groups.find(name);
    if (at != dump.groups.end() && !at->second.ranks.empty()) return at->second.ranks;
  }
  return {};
}

void FlightAnalysis::AnalyzeGroup(const std::string& name, const Ranks& ranks) {
  FindMissing(name, ranks);
  FindDifference(name, ranks);
  FindState(name, ranks);
}

void FlightAnalysis::FindMissing(const std::string& name, const Ranks& ranks) {
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (const auto& [rank, calls] : ranks) {
    least = std::min(least, calls.last());
    most = std::max(most, calls.last());
  }
  // Members that have a dump and no call of the group at all are the furthest behind.
  FlightFinding finding;
  for (const int64_t member : MembersOf(name)) {
    const bool dumped = std::ranges::any_of(dumps_, [&](const FlightDump& dump) {
      return dump.rank == member && !dump.entries.empty();
    });
    if (dumped && !ranks.contains(member)) finding.ranks.push_back(member);
  }
  int64_t sequence = least + 1;
  if (!finding.ranks.empty()) {
    sequence = INT64_MAX;
    for (const auto& [rank, calls] : ranks) sequence = std::min(sequence, calls.first());
  } else if (least == most) {
    return;
  }
  finding.kind = FlightFindingKind::kMissing;
  finding.group = name;
  finding.sequence = sequence;
  const FlightEntry* last = nullptr;
  for (const auto& [rank, calls] : ranks) {
    const auto at = calls.calls.find(sequence);
    if (at != calls.calls.end()) {
      finding.call = at->second->name;
    } else if (calls.last() < sequence) {
      finding.ranks.push_back(rank);
      if (last == nullptr) last = calls.calls.rbegin()->second;
    }
  }
  std::ranges::sort(finding.ranks);
  if (last != nullptr) {
    finding.other = last->name;
    finding.stack = last->stack;
  }
  findings_.push_back(std::move(finding));
}

// Sizes may differ between ranks in these.
bool SizesMayDiffer(std::string_view name) {
  const CollectiveType type = CollectiveTypeOf(name.substr(name.find(':') + 1));
  return type == CollectiveType::kAllToAll || type == CollectiveType::kAllToAllV ||
         type == CollectiveType::kGather || type == CollectiveType::kScatter ||
         type == CollectiveType::kBarrier || type == CollectiveType::kOther;
}

void FlightAnalysis::FindDifference(const std::string& name, const Ranks& ranks) {
  std::map<int64_t, std::pair<int64_t, const FlightEntry*>> expected;
  std::optional<FlightFinding> first;
  for (const auto& [rank, calls] : ranks) {
    for (const auto& [sequence, entry] : calls.calls) {
      const auto [at, is_new] = expected.try_emplace(sequence, rank, entry);
      if (is_new) continue;
      const FlightEntry& other = *at->second.second;
      const bool type = entry->name != other.name;
      const bool size = !type && !SizesMayDiffer(entry->name) &&
                        (entry->sizes != other.sizes || entry->dtypes != other.dtypes);
      if (!type && !size) continue;
      if (first && first->sequence < sequence) break;
      if (first && first->sequence == sequence) {
        first->ranks.push_back(rank);
        break;
      }
      const auto words = [](const FlightEntry& row) {
        return row.name + " " + row.sizes + " " + row.dtypes;
      };
      first =
          FlightFinding{type ? FlightFindingKind::kTypeDiffers : FlightFindingKind::kSizeDiffers,
                        name,
                        sequence,
                        words(other),
                        {rank},
                        words(*entry),
                        entry->stack};
      break;
    }
  }
  if (first) findings_.push_back(std::move(*first));
}

// The newest call that all have entered.
void FlightAnalysis::FindState(const std::string& name, const Ranks& ranks) {
  int64_t common = INT64_MAX;
  for (const auto& [rank, calls] : ranks) common = std::min(common, calls.last());
  size_t started = 0, completed = 0, all = 0;
  FlightFinding finding;
  for (const auto& [rank, calls] : ranks) {
    const auto at = calls.calls.find(common);
    if (at == calls.calls.end()) return;
    ++all;
    started += at->second->state == "scheduled" ? 0 : 1;
    completed += at->second->state == "completed" ? 1 : 0;
    if (at->second->state != "completed") {
      finding.ranks.push_back(rank);
      if (finding.stack.empty()) finding.stack = at->second->stack;
    }
    finding.call = at->second->name;
  }
  if (completed == all || all < 2) return;
  finding.kind = started == 0 ? FlightFindingKind::kNotStarted : FlightFindingKind::kNotCompleted;
  finding.group = name;
  finding.sequence = common;
  findings_.push_back(std::move(finding));
}

void FlightAnalysis::AddUnmatched() {
  std::set<int64_t> dumped;
  for (const FlightDump& dump : dumps_) dumped.insert(dump.rank);
  for (const auto& [key, pair] : pairs_) {
    if (pair.sends == pair.receives) continue;
    const std::string& ranks = key.second;
    const int64_t from = std::atoll(ranks.c_str());
    const int64_t to = std::atoll(ranks.c_str() + ranks.find("->") + 2);
    if (!dumped.contains(from) || !dumped.contains(to)) continue;
    const bool sender = pair.sends < pair.receives;
    const FlightEntry* last = sender ? pair.last_receive : pair.last_send;
    findings_.push_back({FlightFindingKind::kUnmatched,
                         key.first,
                         last->sequence,
                         last->name,
                         {sender ? from : to},
                         {},
                         last->stack});
  }
}

void FlightAnalysis::AddWithoutDump() {
  std::set<int64_t> dumped, members;
  for (const FlightDump& dump : dumps_) {
    dumped.insert(dump.rank);
    for (const auto& [name, group] : dump.groups)
      members.insert(group.ranks.begin(), group.ranks.end());
  }
  FlightFinding finding;
  finding.kind = FlightFindingKind::kNoDump;
  std::ranges::set_difference(members, dumped, std::back_inserter(finding.ranks));
  if (!finding.ranks.empty()) findings_.push_back(std::move(finding));
}

}  // namespace

std::string_view NameOf(FlightFindingKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"missing",   "type_differs", "size_differs",
                                                      "unmatched", "not_started",  "not_completed",
                                                      "no_dump"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<FlightFinding> AnalyzeFlight(std::span<const FlightDump> dumps) {
  return FlightAnalysis(dumps).Run();
}

}  // namespace stepscope
