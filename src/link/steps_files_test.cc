// Steps of real profiles: against the answers of other tools, and found again with their markers
// taken out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "link/links.h"
#include "link/steps.h"
#include "link/testing/real_files.h"
#include "link/testing/without_markers.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

Steps StepsOf(const Trace& trace) {
  TaskPool pool(2);
  Diagnostics diagnostics;
  return FindSteps(trace, FindLinks(trace, pool), diagnostics);
}

// Markers that do not delimit what repeats, each with its proof.
const std::set<std::string> kMarkersWithoutRepetition = {
    // Written by hand: two markers around three and four unlike host spans.
    "base.json.gz",
    "test.json.gz",
};

// Returns how many files have steps to compare.
size_t ExpectTheSameStepsWithoutMarkers(const std::vector<std::string>& files) {
  size_t compared = 0;
  for (const std::string& file : files) {
    Trace trace = OpenReal(file);
    const Steps marked = StepsOf(trace);
    if (marked.source != StepSource::kProfilerStep || marked.items.size() < 2) continue;
    if (kMarkersWithoutRepetition.contains(fs::path(file).filename())) continue;
    SCOPED_TRACE(file);
    ++compared;
    const Steps found = StepsOf(WithoutMarkers(std::move(trace)));
    EXPECT_EQ(found.source, StepSource::kRepetition) << found.source_name;
    EXPECT_EQ(found.items.size(), marked.items.size());
    if (found.items.size() != marked.items.size()) continue;
    ExpectSameBorders(found, marked);
  }
  return compared;
}

TEST(FindSteps, FindsTheSameStepsWithoutMarkers) {
  EXPECT_EQ(ExpectTheSameStepsWithoutMarkers(OwnKinetoFiles()), 70U);
}
TEST(FindStepsAcceptance, FindsTheSameStepsWithoutMarkers) {
  EXPECT_GT(ExpectTheSameStepsWithoutMarkers(KinetoFilesOfOthers()), 2U);
}

TEST(FindStepsAcceptance, InventsNoStepsWhereNothingRepeats) {
  for (const std::string& file : KinetoFilesOfOthers()) {
    Trace trace = OpenReal(file);
    const Steps marked = StepsOf(trace);
    // One step: the layers of a model repeat in it, the step itself does not.
    if (marked.source != StepSource::kProfilerStep || marked.items.size() != 1) continue;
    SCOPED_TRACE(file);
    const Steps found = StepsOf(WithoutMarkers(std::move(trace)));
    EXPECT_EQ(found.source, StepSource::kNone) << found.items.size() << " steps";
  }
}

// The value of a key of a flat JSON object, from `from` on.
int64_t NumberAfter(const std::string& json, std::string_view key, size_t from) {
  const size_t at = json.find("\"" + std::string(key) + "\":", from);
  if (at == std::string::npos) return -1;
  return std::strtoll(json.c_str() + at + key.size() + 3, nullptr, 10);
}

void ExpectStepsOf(const std::string& reference, const std::string& file) {
  SCOPED_TRACE(file);
  std::ifstream in(reference);
  std::stringstream text;
  text << in.rdbuf();
  const std::string json = text.str();
  const Steps steps = StepsOf(OpenReal(file));
  EXPECT_FALSE(steps.items.empty());
  size_t at = json.find("\"steps\"");
  for (const Step& step : steps.items) {
    at = json.find("\"step\":", at + 1);
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(NumberAfter(json, "step", at), step.number);
    EXPECT_EQ(NumberAfter(json, "host_dur_ns", at), step.host_duration.ns);
    EXPECT_EQ(NumberAfter(json, "tb_dur_ns", at), step.duration.ns) << step.name;
  }
}

TEST(FindSteps, EqualsTheReferenceOnEveryKinetoAnswer) {
  ExpectStepsOf(TestData("kineto_answers/resnet50_good/reference.json"),
                TestData("h200/resnet50_good.pt.trace.json.zst"));
  ExpectStepsOf(TestData("kineto_answers/resnet50_inputbound/reference.json"),
                Example("resnet50_inputbound.pt.trace.json.gz"));
  ExpectStepsOf(TestData("kineto_answers/tiny_launchbound/reference.json"),
                TestData("h200/tiny_launchbound.pt.trace.json.zst"));
}

TEST(FindStepsAcceptance, EqualsTheReferenceOnEveryKinetoAnswer) {
  const std::string folder = "tb_plugin/resnet50_num_workers_";
  ExpectStepsOf(AcceptanceData("kineto_answers/tb_nw0/reference.json"),
                AcceptanceData(folder + "0/worker0.1623143089861.pt.trace.json.gz"));
  ExpectStepsOf(AcceptanceData("kineto_answers/tb_nw4/reference.json"),
                AcceptanceData(folder + "4/worker0.1623212756351.pt.trace.json.gz"));
}

}  // namespace
}  // namespace stepscope
