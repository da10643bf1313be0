// Steps of TensorFlow's and JAX's profiles with their markers taken out.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "link/links.h"
#include "link/steps.h"
#include "link/testing/real_files.h"
#include "link/testing/without_markers.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> XPlanesIn(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    for (const std::string& file : FilesBelow(folder)) {
      if (file.contains(".xplane.pb")) files.push_back(file);
    }
  }
  return files;
}

Steps StepsOf(const Trace& trace) {
  TaskPool pool(2);
  Diagnostics diagnostics;
  return FindSteps(trace, FindLinks(trace, pool), diagnostics);
}

// Markers whose borders nothing else in the file shows, each with its reason.
const std::map<std::string, std::string> kBordersNotRecorded = {
    {"input-cpu-saturated.fixed.xplane.pb.zst",
     "steps of 58 us: 5 % are 3 us, less than the Python between marker and first call"},
    {"warmup-step-in-profile.fixed.vm.xplane.pb.zst",
     "the last marker ends in silence of another length than the others: 0.1 of 1.5 ms"},
};

// Returns how many files have steps to compare.
size_t ExpectTheSameStepsWithoutMarkers(const std::vector<std::string>& files) {
  size_t compared = 0;
  for (const std::string& file : files) {
    Trace trace = OpenReal(file);
    const Steps marked = StepsOf(trace);
    const bool by_markers = marked.source == StepSource::kTfProfilerTrace ||
                            marked.source == StepSource::kStepTraceAnnotation;
    if (!by_markers) continue;
    SCOPED_TRACE(file);
    ++compared;
    const Steps found = StepsOf(WithoutMarkers(std::move(trace)));
    EXPECT_EQ(found.source, StepSource::kRepetition) << found.source_name;
    EXPECT_EQ(found.items.size(), marked.items.size());
    if (found.items.size() != marked.items.size()) continue;
    if (!kBordersNotRecorded.contains(fs::path(file).filename())) ExpectSameBorders(found, marked);
  }
  return compared;
}

TEST(FindStepsOfXPlanes, FindsTheSameStepsWithoutMarkers) {
  const std::vector<std::string> files =
      XPlanesIn({TestData("h200"), TestData("rules"), TestData("tf_xplane")});
  EXPECT_GT(ExpectTheSameStepsWithoutMarkers(files), 20U);
}
TEST(FindStepsOfXPlanesAcceptance, FindsTheSameStepsWithoutMarkers) {
  ExpectTheSameStepsWithoutMarkers(XPlanesIn({AcceptanceData("xprof")}));
}

}  // namespace
}  // namespace stepscope
