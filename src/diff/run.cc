#include "diff/run.h"

#include <algorithm>
#include <tuple>

namespace stepscope::diff {
namespace {

class Hash {
 public:
  void Add(int64_t value) {
    state_ = (state_ ^ static_cast<uint64_t>(value)) * 0x100000001B3u;
    state_ ^= state_ >> 29;
  }
  void Add(const std::string& text) {
    for (const char c : text) Add(static_cast<int64_t>(c));
    Add(int64_t{-1});
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0xCBF29CE484222325u;
};

auto KeyOf(const Atom& atom) {
  return std::tie(atom.kind, atom.module, atom.op, atom.shapes, atom.types, atom.pass, atom.line,
                  atom.kernel);
}

// Adds the cells of another rank; steps are those of the joined run.
void AddCells(const Atom& from, const std::vector<uint32_t>& step_of, Atom& to) {
  for (const StepValue& cell : from.cells) {
    const uint32_t step = step_of[cell.step];
    if (step == UINT32_MAX) continue;
    auto at = std::find_if(to.cells.begin(), to.cells.end(),
                           [&](const StepValue& known) { return known.step == step; });
    if (at == to.cells.end()) at = to.cells.insert(to.cells.end(), {step, 0, 0, 0});
    at->calls += cell.calls;
    at->device += cell.device;
    at->host += cell.host;
  }
}

}  // namespace

void HashContent(Run& run) {
  Hash hash;
  for (const RunStep& step : run.steps) {
    hash.Add(step.number);
    hash.Add(step.duration);
  }
  for (const Atom& atom : run.atoms) {
    hash.Add(atom.op);
    hash.Add(atom.kernel);
    for (const StepValue& cell : atom.cells) {
      hash.Add(cell.calls);
      hash.Add(cell.device);
      hash.Add(cell.host);
    }
  }
  run.content = hash.value();
}

namespace {

// Of a recording and a report, which have not the same nodes: the same nanoseconds in every step
// are no chance.
bool SameSteps(const Run& a, const Run& b) {
  if (a.per_step_nodes == b.per_step_nodes) return false;
  return a.steps.size() > 1 && std::ranges::equal(a.steps, b.steps, [](auto& x, auto& y) {
           return x.number == y.number && x.duration == y.duration;
         });
}

}  // namespace

std::vector<Run> WithoutCopies(std::vector<Run> runs) {
  std::vector<Run> distinct;
  for (Run& run : runs) {
    const bool copy = std::ranges::any_of(distinct, [&](const Run& other) {
      return other.content == run.content || SameSteps(other, run);
    });
    if (!copy) distinct.push_back(std::move(run));
  }
  return distinct;
}

Run JoinRanks(std::vector<Run> ranks) {
  std::sort(ranks.begin(), ranks.end(), [](const Run& a, const Run& b) { return a.rank < b.rank; });
  if (ranks.size() == 1) return std::move(ranks.front());
  const auto count = static_cast<int64_t>(ranks.size());
  Run joined = ranks.front();
  joined.ranks = static_cast<uint32_t>(count);
  joined.rank.reset();
  joined.paths.clear();
  joined.atoms.clear();
  // Steps that every rank has, by number.
  std::erase_if(joined.steps, [&](const RunStep& step) {
    return !std::all_of(ranks.begin(), ranks.end(), [&](const Run& rank) {
      return std::any_of(rank.steps.begin(), rank.steps.end(),
                         [&](const RunStep& other) { return other.number == step.number; });
    });
  });
  std::map<int64_t, uint32_t> place;
  for (uint32_t i = 0; i < joined.steps.size(); ++i) place[joined.steps[i].number] = i;
  std::map<decltype(std::tuple(std::declval<AtomKind>(), std::string(), std::string(),
                               std::string(), std::string(), std::string(), std::string(),
                               std::string())),
           size_t>
      index;
  for (const Run& rank : ranks) {
    joined.paths.insert(joined.paths.end(), rank.paths.begin(), rank.paths.end());
    joined.damaged |= rank.damaged;
    std::vector<uint32_t> step_of(rank.steps.size(), UINT32_MAX);
    for (size_t i = 0; i < rank.steps.size(); ++i) {
      const auto at = place.find(rank.steps[i].number);
      if (at == place.end()) continue;
      step_of[i] = at->second;
      RunStep& step = joined.steps[at->second];
      // The slowest rank is the one that the others wait for.
      if (rank.steps[i].duration > step.duration) step = rank.steps[i];
    }
    for (const Atom& atom : rank.atoms) {
      const auto [at, is_new] = index.emplace(KeyOf(atom), joined.atoms.size());
      if (is_new) {
        Atom& added = joined.atoms.emplace_back(atom);
        added.cells.clear();
      }
      AddCells(atom, step_of, joined.atoms[at->second]);
    }
    for (const auto& [device, bytes] : rank.peak_memory) {
      int64_t& peak = joined.peak_memory[device];
      peak = std::max(peak, bytes);
    }
    for (const RunFinding& finding : rank.findings) {
      const bool known = std::any_of(joined.findings.begin(), joined.findings.end(),
                                     [&](const RunFinding& f) { return f.rule == finding.rule; });
      if (!known) joined.findings.push_back(finding);
    }
  }
  for (Atom& atom : joined.atoms) {
    std::sort(atom.cells.begin(), atom.cells.end(),
              [](const StepValue& a, const StepValue& b) { return a.step < b.step; });
    for (StepValue& cell : atom.cells) {
      cell.device /= count;
      cell.host /= count;
      cell.calls = (cell.calls + count - 1) / count;
    }
  }
  HashContent(joined);
  return joined;
}

Run EveryOtherStep(const Run& run, bool odd) {
  Run half = run;
  half.steps.clear();
  for (size_t i = odd ? 1 : 0; i < run.steps.size(); i += 2) half.steps.push_back(run.steps[i]);
  for (Atom& atom : half.atoms) {
    std::erase_if(atom.cells, [&](const StepValue& cell) { return (cell.step % 2 == 1) != odd; });
    for (StepValue& cell : atom.cells) cell.step /= 2;
  }
  std::erase_if(half.atoms, [](const Atom& atom) { return atom.cells.empty(); });
  HashContent(half);
  return half;
}

}  // namespace stepscope::diff
