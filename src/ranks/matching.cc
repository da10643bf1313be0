#include "ranks/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "ranks/sequence_alignment.h"

namespace stepscope {
namespace {

// Elements are the ranks' own affair in these.
bool MayDiffer(CollectiveType type) {
  return type == CollectiveType::kAllToAllV || type == CollectiveType::kGather ||
         type == CollectiveType::kScatter;
}

class Matcher {
 public:
  Matcher(std::span<const RankDigest* const> ranks, std::span<const int64_t> numbers,
          int64_t world_size)
      : ranks_(ranks), numbers_(numbers), world_size_(world_size), places_(ranks.size()) {}

  Matching Run() {
    for (uint32_t p = 0; p < ranks_.size(); ++p) TakeGroups(p);
    for (uint32_t p = 0; p < ranks_.size(); ++p) TakeCalls(p);
    for (JobGroup& group : result_.groups) Complete(group);
    for (uint32_t g = 0; g < result_.groups.size(); ++g) MatchGroup(g);
    JoinSends();
    std::ranges::stable_sort(result_.calls, {},
                             [this](const MatchedCall& call) { return StartOf(call); });
    return std::move(result_);
  }

 private:
  // The calls of one rank in one group; rows of the digest.
  struct Place {
    std::vector<uint32_t> calls;
    std::vector<uint32_t> signatures;  // of the job
  };
  // What one rank sends to another in a group, and what that one receives from it.
  struct Handed {
    Place sends, receives;
  };
  using SignatureKey =
      std::tuple<uint32_t, CollectiveType, std::string, int64_t, int64_t, int64_t, std::string>;

  void TakeGroups(uint32_t p);
  void TakeCalls(uint32_t p);
  void Complete(JobGroup& group) const;
  void MatchGroup(uint32_t g);
  bool MatchByKey(uint32_t g, bool by_id);
  void MatchByOrder(uint32_t g);
  void JoinSends();
  std::optional<uint32_t> PeerOf(uint32_t p, uint32_t group, int64_t peer) const;
  void NoteDifference(uint32_t g, uint32_t reference, uint32_t p,
                      const std::vector<std::pair<uint32_t, uint32_t>>& pairs);
  void Add(Mismatch mismatch);
  CallSequence SequenceOf(uint32_t p, const Place& place) const;
  std::pair<int64_t, uint32_t> StartOf(const MatchedCall& call) const;
  const RankCall& CallOf(uint32_t p, uint32_t row) const { return ranks_[p]->calls[row]; }

  std::span<const RankDigest* const> ranks_;
  std::span<const int64_t> numbers_;
  int64_t world_size_;
  std::vector<std::vector<uint32_t>> group_of_;    // by position and the digest's group
  std::vector<std::map<uint32_t, Place>> places_;  // by position, then group
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Handed> handed_;  // by group, from, to
  std::map<std::string, uint32_t> group_ids_;
  std::map<SignatureKey, uint32_t> signature_ids_;
  std::map<std::pair<std::string, int64_t>, size_t> message_ids_;  // by type and elements
  std::set<std::pair<uint32_t, int64_t>> differing_;
  Matching result_;
};

// Members where they are known, else the description with the size, else the name.
std::string KeyOf(const RankGroup& group) {
  if (!group.ranks.empty()) return fmt::format("{}", fmt::join(group.ranks, ","));
  const std::string& name = group.description.empty() ? group.name : group.description;
  return fmt::format("{}/{}", name, group.size);
}

void Matcher::TakeGroups(uint32_t p) {
  std::vector<uint32_t>& ids = group_of_.emplace_back();
  for (const RankGroup& group : ranks_[p]->groups) {
    const auto [at, is_new] =
        group_ids_.try_emplace(KeyOf(group), static_cast<uint32_t>(result_.groups.size()));
    if (is_new) result_.groups.push_back({group, {}, false});
    JobGroup& known = result_.groups[at->second];
    if (known.members.empty() || known.members.back() != p) known.members.push_back(p);
    ids.push_back(at->second);
  }
}

void Matcher::TakeCalls(uint32_t p) {
  const RankDigest& rank = *ranks_[p];
  std::vector<uint32_t> of_signature;
  for (const CallSignature& own : rank.signatures) {
    CallSignature signature = own;
    signature.group = group_of_[p][own.group];
    const bool loose = MayDiffer(own.type);
    const SignatureKey key{signature.group,
                           own.type,
                           own.dtype,
                           loose ? -1 : own.in_elements,
                           loose ? -1 : own.out_elements,
                           own.channel,
                           own.instruction};
    const auto [at, is_new] =
        signature_ids_.try_emplace(key, static_cast<uint32_t>(result_.signatures.size()));
    if (is_new) result_.signatures.push_back(std::move(signature));
    of_signature.push_back(at->second);
  }
  for (uint32_t c = 0; c < rank.calls.size(); ++c) {
    const uint32_t signature = of_signature[rank.calls[c].signature];
    const CollectiveType type = result_.signatures[signature].type;
    if (IsPointToPoint(type)) {
      const uint32_t group = result_.signatures[signature].group;
      const auto peer = PeerOf(p, group, rank.signatures[rank.calls[c].signature].peer);
      if (!peer || type == CollectiveType::kSendReceive) continue;
      const bool sends = type == CollectiveType::kSend;
      Handed& handed = handed_[{group, sends ? p : *peer, sends ? *peer : p}];
      Place& side = sends ? handed.sends : handed.receives;
      side.calls.push_back(c);
      side.signatures.push_back(signature);
      continue;
    }
    Place& place = places_[p][result_.signatures[signature].group];
    place.calls.push_back(c);
    place.signatures.push_back(signature);
  }
}

void Matcher::Complete(JobGroup& group) const {
  RankGroup& facts = group.facts;
  if (facts.size < 0) facts.size = world_size_;
  const auto present = static_cast<int64_t>(group.members.size());
  group.complete = present == facts.size;
  if (!facts.ranks.empty()) return;
  if (group.complete) {
    for (const uint32_t p : group.members) facts.ranks.push_back(numbers_[p]);
  } else if (facts.size == world_size_) {
    for (int64_t r = 0; r < world_size_; ++r) facts.ranks.push_back(r);
  }
}

void Matcher::MatchGroup(uint32_t g) {
  if (result_.groups[g].members.size() < 2) return;
  if (!MatchByKey(g, true) && !MatchByKey(g, false)) MatchByOrder(g);
}

// False where not every call has a key of its own.
bool Matcher::MatchByKey(uint32_t g, bool by_id) {
  std::map<uint64_t, MatchedCall> rows;
  std::vector<Mismatch> differences;
  for (const uint32_t p : result_.groups[g].members) {
    const Place& place = places_[p][g];
    for (size_t i = 0; i < place.calls.size(); ++i) {
      const RankCall& call = CallOf(p, place.calls[i]);
      if (by_id ? call.id == 0 : call.sequence < 0) return false;
      const uint64_t key = by_id ? call.id : static_cast<uint64_t>(call.sequence);
      const auto [at, is_new] = rows.try_emplace(
          key, MatchedCall{g, place.signatures[i], std::vector<uint32_t>(ranks_.size(), kNoRow)});
      MatchedCall& row = at->second;
      if (row.calls[p] != kNoRow) return false;
      if (row.signature == place.signatures[i]) {
        row.calls[p] = place.calls[i];
      } else {
        differences.push_back({g, by_id ? i : key, numbers_[p],
                               InWords(result_.signatures[row.signature]),
                               InWords(result_.signatures[place.signatures[i]]), call.event});
      }
    }
  }
  for (auto& [key, row] : rows) result_.calls.push_back(std::move(row));
  for (Mismatch& difference : differences) Add(std::move(difference));
  return true;
}

CallSequence Matcher::SequenceOf(uint32_t p, const Place& place) const {
  const RankDigest& rank = *ranks_[p];
  CallSequence sequence;
  sequence.signature = place.signatures;
  for (const uint32_t row : place.calls) {
    const RankCall& call = rank.calls[row];
    sequence.end.push_back(rank.epoch_ns + call.end.ns);
    const bool known = rank.numbered && call.step != kNoRow;
    sequence.step.push_back(known ? rank.steps[call.step].number : CallSequence::kNoStep);
  }
  return sequence;
}

void Matcher::MatchByOrder(uint32_t g) {
  const std::vector<uint32_t>& members = result_.groups[g].members;
  const uint32_t reference = members.front();
  const Place& first = places_[reference][g];
  const CallSequence sequence = SequenceOf(reference, first);
  std::vector<MatchedCall> rows;
  for (size_t i = 0; i < first.calls.size(); ++i) {
    rows.push_back({g, first.signatures[i], std::vector<uint32_t>(ranks_.size(), kNoRow)});
    rows.back().calls[reference] = first.calls[i];
  }
  for (const uint32_t p : members) {
    if (p == reference) continue;
    const Place& place = places_[p][g];
    const auto pairs = AlignSequences(sequence, SequenceOf(p, place));
    for (const auto& [i, j] : pairs) rows[i].calls[p] = place.calls[j];
    NoteDifference(g, reference, p, pairs);
  }
  std::ranges::move(rows, std::back_inserter(result_.calls));
}

// Who sends to or receives from the rank; in a group of two it is the other one.
std::optional<uint32_t> Matcher::PeerOf(uint32_t p, uint32_t group, int64_t peer) const {
  if (peer >= 0) {
    const auto at = std::ranges::find(numbers_, peer);
    if (at == numbers_.end()) return std::nullopt;
    return static_cast<uint32_t>(at - numbers_.begin());
  }
  const std::vector<uint32_t>& members = result_.groups[group].members;
  const int64_t size = result_.groups[group].facts.size;
  if (members.size() != 2 || (size >= 0 ? size : world_size_) != 2) return std::nullopt;
  return members[0] == p ? members[1] : members[0];
}

// Messages of one rank to another are received in the order in which they are sent. Counts of
// messages are each rank's own, so order and elements join them, as they do collectives.
void Matcher::JoinSends() {
  for (const auto& [key, handed] : handed_) {
    const auto [group, from, to] = key;
    const auto bare = [&](uint32_t p, const Place& place) {
      CallSequence sequence = SequenceOf(p, place);
      for (uint32_t& signature : sequence.signature) {
        const CallSignature& call = result_.signatures[signature];
        const int64_t elements = std::max(call.in_elements, call.out_elements);
        signature = static_cast<uint32_t>(
            message_ids_.try_emplace({call.dtype, elements}, message_ids_.size()).first->second);
      }
      return sequence;
    };
    const CallSequence sent = bare(from, handed.sends), got = bare(to, handed.receives);
    if (sent.size() == 0 || got.size() == 0) continue;
    for (const auto& [i, j] : AlignSequences(sent, got)) {
      CallSignature signature = result_.signatures[handed.sends.signatures[i]];
      signature.type = CollectiveType::kSendReceive;
      signature.in_elements = signature.out_elements =
          std::max(signature.in_elements, signature.out_elements);
      signature.bytes =
          std::max(signature.bytes, result_.signatures[handed.receives.signatures[j]].bytes);
      signature.peer = -1;
      const SignatureKey name{
          group, signature.type, signature.dtype, signature.in_elements, signature.out_elements, -1,
          {}};
      const auto [at, is_new] =
          signature_ids_.try_emplace(name, static_cast<uint32_t>(result_.signatures.size()));
      if (is_new) result_.signatures.push_back(std::move(signature));
      MatchedCall& call = result_.calls.emplace_back(
          MatchedCall{group, at->second, std::vector<uint32_t>(ranks_.size(), kNoRow)});
      call.calls[from] = handed.sends.calls[i];
      call.calls[to] = handed.receives.calls[j];
    }
  }
}

// Between the first and the last call that both have, every call of one must be one of the other,
// and in the same order unless they run side by side.
void Matcher::NoteDifference(uint32_t g, uint32_t reference, uint32_t p,
                             const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {
  const Place& a = places_[reference][g];
  const Place& b = places_[p][g];
  const auto words = [&](const Place& place, size_t i) {
    return InWords(result_.signatures[place.signatures[i]]);
  };
  if (pairs.empty()) {
    if (a.calls.empty() || b.calls.empty()) return;
    return Add({g, 0, numbers_[p], words(a, 0), words(b, 0), CallOf(p, b.calls[0]).event});
  }
  std::set<uint32_t> in_b;
  for (const auto& [i, j] : pairs) in_b.insert(j);
  const auto own = [&](uint32_t from, uint32_t to) -> std::optional<uint32_t> {
    for (uint32_t j = from; j < to; ++j) {
      if (!in_b.contains(j)) return j;
    }
    return std::nullopt;
  };
  for (size_t k = 1; k < pairs.size(); ++k) {
    const auto [i0, j0] = pairs[k - 1];
    const auto [i1, j1] = pairs[k];
    const bool skipped = i1 > i0 + 1;
    const std::optional<uint32_t> extra = own(j0 + 1, j1);
    const RankCall& before = CallOf(p, b.calls[j0]);
    const RankCall& after = CallOf(p, b.calls[j1]);
    const bool turned = j1 < j0 && before.lane == after.lane && after.end <= before.start;
    if (!skipped && !extra && !turned) continue;
    Mismatch found{g, skipped ? i0 + 1 : i1, numbers_[p], {}, {}, std::nullopt};
    if (skipped || turned) found.expected = words(a, skipped ? i0 + 1 : i0);
    if (const std::optional<uint32_t> at = turned ? j1 : extra) {
      found.found = words(b, *at);
      found.event = CallOf(p, b.calls[*at]).event;
    }
    return Add(std::move(found));
  }
}

void Matcher::Add(Mismatch mismatch) {
  if (differing_.emplace(mismatch.group, mismatch.rank).second) {
    result_.mismatches.push_back(std::move(mismatch));
  }
}

std::pair<int64_t, uint32_t> Matcher::StartOf(const MatchedCall& call) const {
  for (uint32_t p = 0; p < call.calls.size(); ++p) {
    if (call.calls[p] == kNoRow) continue;
    const RankCall& row = CallOf(p, call.calls[p]);
    return {row.start.ns, row.event};
  }
  return {};
}

}  // namespace

std::string InWords(const CallSignature& signature) {
  std::string words(NameOf(signature.type));
  if (!signature.dtype.empty()) words += ' ' + signature.dtype;
  if (signature.in_elements >= 0) words += fmt::format(" {}", signature.in_elements);
  if (signature.channel >= 0) words += fmt::format(" channel {}", signature.channel);
  if (!signature.instruction.empty()) words += ' ' + signature.instruction;
  return words;
}

Matching MatchCalls(std::span<const RankDigest* const> ranks, std::span<const int64_t> numbers,
                    int64_t world_size) {
  return Matcher(ranks, numbers, world_size).Run();
}

}  // namespace stepscope
