#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/testing/data.h"
#include "diff/diff.h"
#include "diff/open_side.h"

namespace stepscope::diff {
namespace {

using OneRun = Run;  // tests have a member Run

bool IsProfile(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.find(".json") != std::string::npos || name.find(".xplane.pb") != std::string::npos;
}

struct Counts {
  size_t profiles = 0, verdicts = 0, nodes = 0, changed_nodes = 0, with_changed_nodes = 0;
};

bool IsChange(Outcome outcome) {
  return outcome == Outcome::kSlower || outcome == Outcome::kFaster;
}

// Odd against even steps of one run are the same program: what is called slower or faster is false.
Counts CompareHalves(const std::filesystem::path& folder) {
  Counts counts;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && IsProfile(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const Result<std::vector<OneRun>> runs = OpenSide({file.string()}, {.threads = 1});
    if (!runs) continue;
    for (const OneRun& run : *runs) {
      if (run.steps.size() < 4) continue;
      const Diff diff = Compare({EveryOtherStep(run, true)}, {EveryOtherStep(run, false)}, {});
      ++counts.profiles;
      counts.verdicts += IsChange(diff.verdict.result);
      const auto changed = static_cast<size_t>(
          std::count_if(diff.nodes.begin(), diff.nodes.end(), [](const Node& node) {
            return IsChange(node.compared.result) && node.state == State::kMatched;
          }));
      counts.nodes += diff.nodes.size();
      counts.changed_nodes += changed;
      counts.with_changed_nodes += changed > 0;
    }
  }
  std::cout << folder.filename().string() << ": " << counts.profiles << " profiles, "
            << counts.verdicts << " false verdicts, " << counts.changed_nodes << " of "
            << counts.nodes << " nodes, in " << counts.with_changed_nodes << " profiles\n";
  return counts;
}

void ExpectFewFalse(const Counts& counts) {
  ASSERT_GT(counts.profiles, 3u);
  EXPECT_LE(static_cast<double>(counts.verdicts), 0.05 * static_cast<double>(counts.profiles));
  EXPECT_LE(static_cast<double>(counts.changed_nodes), 0.05 * static_cast<double>(counts.nodes));
  EXPECT_LE(static_cast<double>(counts.with_changed_nodes),
            std::max(1.0, 0.05 * static_cast<double>(counts.profiles)));
}

TEST(Split, HalvesOfARunAreTheSame) { ExpectFewFalse(CompareHalves(TestData("rules"))); }

// All kernels of one op 1.1 times as long, in a real run: its node is first and the difference
// exact.
TEST(Split, AnInjectedSlowdownOfARealRunIsFoundFirst) {
  const Result<std::vector<OneRun>> runs =
      OpenSide({TestData("h200/resnet50_good.pt.trace.json.zst")}, {});
  ASSERT_TRUE(runs);
  const OneRun& base = runs->front();
  const Diff before = Compare({base}, {base}, {});
  const auto slowest =
      std::max_element(before.nodes.begin(), before.nodes.end(),
                       [](const Node& a, const Node& b) { return a.base.device < b.base.device; });
  ASSERT_NE(slowest, before.nodes.end());
  OneRun slower = base;
  std::vector<int64_t> extra(base.steps.size());
  for (Atom& atom : slower.atoms) {
    const NodeKey& key = slowest->key;
    if (atom.op != key.op || atom.shapes != key.shapes || atom.types != key.types ||
        atom.pass != key.pass || atom.module != key.module) {
      continue;
    }
    for (StepValue& value : atom.cells) {
      extra[value.step] += value.device / 10;
      value.device += value.device / 10;
    }
  }
  for (size_t s = 0; s < extra.size(); ++s) {
    slower.steps[s].duration += extra[s];
    slower.steps[s].devices[0].work += extra[s];
    slower.steps[s].devices[0].parts.compute += extra[s];
  }
  const Diff diff = Compare({base}, {slower}, {});
  ASSERT_FALSE(diff.nodes.empty());
  EXPECT_EQ(diff.nodes[0].key.op, slowest->key.op);
  EXPECT_EQ(diff.nodes[0].key.shapes, slowest->key.shapes);
  EXPECT_EQ(diff.nodes[0].compared.result, Outcome::kSlower);
  EXPECT_NEAR(static_cast<double>(diff.nodes[0].compared.delta),
              static_cast<double>(slowest->base.device) / 10, 40);  // each kernel is rounded down
  for (size_t i = 1; i < diff.nodes.size(); ++i) {
    EXPECT_EQ(diff.nodes[i].compared.result, Outcome::kSame) << diff.nodes[i].key.op;
  }
}

// HTA's golden pair: iteration 1010 of rank 1.
TEST(SplitAcceptance, HtaTraceCompare) {
  const auto side = [](const char* name) {
    StudyOptions options;
    options.report.steps = {1010, 1010};
    return OpenSide({AcceptanceData(std::string("hta/trace_compare/") + name)}, options);
  };
  const Result<std::vector<OneRun>> base = side("base/base.json.gz"),
                                    now = side("test/test.json.gz");
  ASSERT_TRUE(base && now);
  const Diff diff = Compare(*base, *now, {});
  std::vector<std::string> added, removed;
  for (const Node& node : diff.nodes) {
    if (node.key.kind == AtomKind::kKernel) continue;
    if (node.state == State::kAdded) added.push_back(node.key.op);
    if (node.state == State::kRemoved) removed.push_back(node.key.op);
  }
  std::sort(added.begin(), added.end());
  EXPECT_EQ(added,
            (std::vector<std::string>{"AddmmBackward0", "All2All_Pooled_Req", "CatBackward0"}));
  EXPECT_EQ(removed, std::vector<std::string>{"nccl:all_reduce"});
}

TEST(SplitAcceptance, HalvesOfOtherProjectsRunsAreTheSame) {
  Counts all;
  for (const char* folder : {"hta", "tb_plugin", "tracelens", "xprof", "nsys"}) {
    const Counts counts = CompareHalves(AcceptanceData(folder));
    all.profiles += counts.profiles;
    all.verdicts += counts.verdicts;
    all.nodes += counts.nodes;
    all.changed_nodes += counts.changed_nodes;
    all.with_changed_nodes += counts.with_changed_nodes;
  }
  ExpectFewFalse(all);
}

}  // namespace
}  // namespace stepscope::diff
