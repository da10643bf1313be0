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

bool IsChange(Outcome outcome) { return outcome == Outcome::kSlower || outcome == Outcome::kFaster; }

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
            << counts.verdicts << " false verdicts, " << counts.changed_nodes << " of " << counts.nodes
            << " nodes, in " << counts.with_changed_nodes << " profiles\n";
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
