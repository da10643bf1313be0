#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "advise/testing/advised.h"
#include "analyze/testing/real_trace.h"
#include "base/json_document.h"
#include "base/testing/data.h"

// Programs whose cause is known and whose steps were timed without a profiler on both sides
// (bench/diagnosis): the first finding names the cause, and the measured saving is in its interval.
// The rules of counting are those of bench/diagnosis/score.py.
namespace stepscope {
namespace {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

Names NamesOf(const Finding& finding) {
  Names names{std::string(finding.rule)};
  for (const ExplainedBy& cause : finding.causes) names.insert(std::string(cause.rule));
  return names;
}

bool Share(const Names& a, const Names& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) { return b.contains(name); });
}

// The findings of one side that claim something, of the rank whose findings claim most.
std::vector<Finding> ClaimsOf(const std::string& name, const std::string& side) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(TestData("diagnosis"))) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(fmt::format("{}.{}.", name, side))) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<Finding> best;
  int64_t most = -1;
  if (files.empty()) return best;
  for (const Advice& advice : AdviseFiles(files).advice) {
    std::vector<Finding> claims;
    int64_t worth = 0;
    for (const Finding& finding : advice.findings) {
      if (finding.severity == FindingSeverity::kNote) continue;
      claims.push_back(finding);
      worth = std::max(worth, finding.saving.hi.ns);
    }
    if (worth > most) best = std::move(claims);
    most = std::max(most, worth);
  }
  return best;
}

struct Score {
  int one = 0, first = 0, covered = 0, tight = 0;
};

// What the fixed side says as well is the program's own, not the cause that was put in.
void Count(const std::string& name, const JsonValue& truth, Score& score) {
  const double bad = truth["bad_ms"].AsDouble();
  const double saved = bad - truth["fixed_ms"].AsDouble();
  if (saved <= 0.05 * bad) return;
  Names rules;
  for (const JsonValue& rule : truth["rules"].items()) rules.insert(rule.text());
  Names beside;
  for (const Finding& finding : ClaimsOf(name, "fixed")) beside.merge(NamesOf(finding));
  for (const std::string& rule : rules) beside.erase(rule);
  ++score.one;
  bool first = true;
  for (const Finding& finding : ClaimsOf(name, "bad")) {
    const Names names = NamesOf(finding);
    if (std::includes(beside.begin(), beside.end(), names.begin(), names.end())) continue;
    if (Share(names, rules)) {
      const double lo = static_cast<double>(finding.saving.lo.ns) / 1e6;
      const double hi = static_cast<double>(finding.saving.hi.ns) / 1e6;
      const bool covered = lo - 0.1 * bad <= saved && saved <= hi + 0.1 * bad;
      score.first += first ? 1 : 0;
      score.covered += covered ? 1 : 0;
      score.tight += covered && hi - lo <= 0.5 * bad ? 1 : 0;
      std::printf("%s: %s, %.2f ms saved, said %.2f to %.2f\n", name.c_str(),
                  std::string(finding.rule).c_str(), saved, lo, hi);
      return;
    }
    first = false;
  }
}

TEST(Diagnosis, NamesTheCauseFirstAndHoldsTheSaving) {
  std::ifstream file(TestData("diagnosis/truth.json"));
  std::stringstream text;
  text << file.rdbuf();
  const Result<JsonValue> truth = ParseJson(text.str());
  ASSERT_TRUE(truth);
  Score score;
  int healthy = 0;
  for (const auto& [name, known] : truth->members()) {
    const auto& rules = known["rules"].items();
    if (rules.empty()) {
      ++healthy;
      for (const Finding& finding : ClaimsOf(name, "bad")) {
        EXPECT_GT(finding.severity, FindingSeverity::kMedium) << name << ": " << finding.rule;
      }
    } else if (rules.front().kind() == JsonValue::Kind::kString) {
      Count(name, known, score);
    }
  }
  EXPECT_GE(healthy, 4);
  EXPECT_GE(score.one, 18);
  EXPECT_EQ(score.first, score.one);
  EXPECT_GE(score.covered * 10, score.one * 9);
  EXPECT_GE(score.tight * 10, score.one * 8);
}

}  // namespace
}  // namespace stepscope
