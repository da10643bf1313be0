#include <gtest/gtest.h>

#include <set>

#include "advise/finding.h"
#include "analyze/report.h"
#include "base/json_document.h"
#include "link/linked_trace.h"
#include "present/advice.h"
#include "study/reported.h"

namespace stepscope {
namespace {

constexpr std::array kTexts = std::to_array<Text>({
    {"title", "Input starves gpu:0."},
    {"sentence", "Nothing else helps."},
    {"cause", "The loader has no workers."},
    {"fix", "num_workers=4"},
});
constexpr SayFrom<kTexts> Say;

// What SARIF 2.1.0 (OASIS, sections 3.13, 3.14, 3.19, 3.27, 3.49) asks of a log: the version, runs
// with a tool whose driver has a name, results with a message, a ruleId that is the id of the rule
// at ruleIndex, one of four levels, and locations by URI reference.
TEST(Sarif, IsWhatTheStandardAsksFor) {
  Trace trace;
  trace.path = "runs/my job #1%.json.gz";
  const LinkedTrace linked(trace);
  const Report report;
  Advice advice;
  Finding high;
  high.rule = "input-bound-step";
  high.severity = FindingSeverity::kHigh;
  high.title = Say("title");
  high.sentence = Say("sentence");
  high.causes = {{"dataloader-workers-zero", Say("cause")}};
  high.saving = {.lo = DurationNs{1'000}, .hi = DurationNs{2'000}, .replayed = true};
  high.fix = Say("fix");
  Finding medium;
  medium.rule = "h2d-pageable";
  medium.severity = FindingSeverity::kMedium;
  Finding note;
  note.rule = "hot-op-dominates";
  note.severity = FindingSeverity::kNote;
  advice.findings = {high, medium, note};
  const Reported advised{&linked, &report, &advice};
  std::string out;
  WriteSarif({&advised, 1}, Language::kEnglish, out);

  const Result<JsonValue> parsed = ParseJson(out);
  ASSERT_TRUE(parsed);
  const JsonValue& log = *parsed;
  EXPECT_EQ(log["version"].text(), "2.1.0");
  ASSERT_EQ(log["runs"].items().size(), 1u);
  const JsonValue& run = log["runs"][size_t{0}];
  EXPECT_EQ(run["tool"]["driver"]["name"].text(), "stepscope");
  const JsonValue& rules = run["tool"]["driver"]["rules"];
  EXPECT_EQ(rules.items().size(), 100u);
  std::set<std::string> ids;
  for (const JsonValue& rule : rules.items()) {
    ids.insert(rule["id"].text());
    EXPECT_FALSE(rule["shortDescription"]["text"].text().empty()) << rule["id"].text();
    EXPECT_FALSE(rule["help"]["text"].text().empty()) << rule["id"].text();
  }
  EXPECT_EQ(ids.size(), 100u);

  const std::vector<JsonValue>& results = run["results"].items();
  ASSERT_EQ(results.size(), 3u);
  const char* const levels[] = {"error", "warning", "note"};
  for (size_t i = 0; i < results.size(); ++i) {
    const auto index = static_cast<size_t>(results[i]["ruleIndex"].AsInt());
    EXPECT_EQ(results[i]["ruleId"].text(), rules[index]["id"].text());
    EXPECT_EQ(results[i]["ruleId"].text(), advice.findings[i].rule);
    EXPECT_EQ(results[i]["level"].text(), levels[i]);
    const JsonValue& place = results[i]["locations"][size_t{0}]["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"].text(), "runs/my%20job%20%231%25.json.gz");
    EXPECT_EQ(place["region"]["startLine"].AsInt(), 1);
  }
  EXPECT_EQ(results[0]["message"]["text"].text(),
            "Input starves gpu:0. Nothing else helps. Because: The loader has no workers. Do: "
            "num_workers=4");
  EXPECT_EQ(results[0]["properties"]["saving_lo_ns"].AsInt(), 1'000);
  EXPECT_EQ(results[0]["properties"]["saving_hi_ns"].AsInt(), 2'000);
}

}  // namespace
}  // namespace stepscope
