// Steps of TensorFlow's and JAX's profiles with their markers taken out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "link/links.h"
#include "link/steps.h"
#include "link/testing/without_markers.h"
#include "read/open.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

const fs::path kData = STEPSCOPE_SOURCE_DIR "/../shared/data";

std::vector<fs::path> XPlaneFiles() {
  std::vector<fs::path> files;
  for (const auto* folder : {"h200", "rules", "tf_xplane", "xprof"}) {
    if (!fs::exists(kData / folder)) continue;
    for (const auto& entry : fs::directory_iterator(kData / folder)) {
      const std::string name = entry.path().filename();
      if (name.find(".xplane.pb") != std::string::npos) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Trace Open(const fs::path& path) {
  TaskPool pool(2);
  auto profile = OpenProfile({path.string()}, {}, pool);
  if (!profile || profile->traces.empty()) return {};
  return std::move(profile->traces[0]);
}

Steps StepsOf(const Trace& trace) {
  TaskPool pool(2);
  Diagnostics diagnostics;
  return FindSteps(trace, LinkTrace(trace, pool), diagnostics);
}

// Markers whose borders nothing else in the file shows, each with its reason.
const std::map<std::string, std::string> kBordersNotRecorded = {
    {"input-cpu-saturated.fixed.xplane.pb.gz",
     "steps of 58 us: 5 % are 3 us, less than the Python between marker and first call"},
    {"warmup-step-in-profile.fixed.vm.xplane.pb.gz",
     "the last marker ends in silence of another length than the others: 0.1 of 1.5 ms"},
};

TEST(FindStepsOfXPlanes, FindsTheSameStepsWithoutMarkers) {
  const auto files = XPlaneFiles();
  if (files.empty()) GTEST_SKIP() << "SKIPPED: no ../shared/data";
  size_t compared = 0;
  for (const fs::path& file : files) {
    Trace trace = Open(file);
    const Steps marked = StepsOf(trace);
    const bool by_markers = marked.source == StepSource::kTfProfilerTrace ||
                            marked.source == StepSource::kStepTraceAnnotation;
    if (!by_markers) continue;
    SCOPED_TRACE(file.string());
    ++compared;
    const Steps found = StepsOf(WithoutMarkers(std::move(trace)));
    EXPECT_EQ(found.source, StepSource::kRepetition) << found.source_name;
    EXPECT_EQ(found.items.size(), marked.items.size());
    if (found.items.size() != marked.items.size()) continue;
    if (!kBordersNotRecorded.contains(file.filename())) ExpectSameBorders(found, marked);
  }
  std::printf("%zu marked profiles compared\n", compared);
}

}  // namespace
}  // namespace stepscope
