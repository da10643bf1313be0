// Steps of real profiles: against the answers of other tools, and found again with their markers
// taken out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "link/links.h"
#include "link/steps.h"
#include "read/open.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

const fs::path kData = STEPSCOPE_SOURCE_DIR "/../shared/data";

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

bool IsMarker(const Trace& trace, uint32_t row) {
  return trace.slices.kind[row] == Kind::kStep || trace.slices.kind[row] == Kind::kDeviceAnnotation;
}

template <typename T>
void KeepRows(std::vector<T>& column, const std::vector<uint32_t>& kept) {
  std::vector<T> rest;
  rest.reserve(kept.size());
  for (const uint32_t row : kept) rest.push_back(column[row]);
  column = std::move(rest);
}

// As if the program had never said where a step begins.
Trace WithoutMarkers(Trace trace) {
  Slices& slices = trace.slices;
  std::vector<uint32_t> kept;
  std::vector<uint32_t> row_now(slices.size(), kNoRow);
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (IsMarker(trace, row)) continue;
    row_now[row] = static_cast<uint32_t>(kept.size());
    kept.push_back(row);
  }
  for (SliceId& parent : slices.parent) {
    while (parent != kNoSlice && row_now[Index(parent)] == kNoRow) {
      parent = slices.parent[Index(parent)];
    }
    if (parent != kNoSlice) parent = SliceId{row_now[Index(parent)]};
  }
  const auto now = [&](uint32_t row) {
    return static_cast<uint32_t>(std::lower_bound(kept.begin(), kept.end(), row) - kept.begin());
  };
  for (Track& track : trace.tracks)
    track.slices = {now(track.slices.first), now(track.slices.last)};
  for (DeviceArgs& args : trace.device_args) {
    if (args.slice != kNoRow) args.slice = row_now[args.slice];
  }
  KeepRows(slices.start, kept);
  KeepRows(slices.duration, kept);
  KeepRows(slices.name, kept);
  KeepRows(slices.parent, kept);
  KeepRows(slices.args, kept);
  KeepRows(slices.event, kept);
  KeepRows(slices.depth, kept);
  KeepRows(slices.kind, kept);
  KeepRows(slices.flags, kept);
  return trace;
}

std::vector<fs::path> KinetoFiles() {
  std::vector<fs::path> files;
  for (const auto* folder : {"h200", "rules", "tb_plugin", "hta", "tracelens"}) {
    if (!fs::exists(kData / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kData / folder)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".json.gz") && !name.contains("execution_trace")) {
        files.push_back(entry.path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Markers that do not delimit what repeats, each with its proof.
const std::set<std::string> kMarkersWithoutRepetition = {
    // Written by hand: two markers around three and four unlike host spans.
    "base.json.gz",
    "test.json.gz",
};

TEST(FindSteps, FindsTheSameStepsWithoutMarkers) {
  const auto files = KinetoFiles();
  if (files.empty()) GTEST_SKIP() << "SKIPPED: no ../shared/data";
  size_t compared = 0;
  for (const fs::path& file : files) {
    Trace trace = Open(file);
    const Steps marked = StepsOf(trace);
    if (marked.source != StepSource::kProfilerStep || marked.items.size() < 2) continue;
    if (kMarkersWithoutRepetition.contains(file.filename())) continue;
    SCOPED_TRACE(file.string());
    ++compared;
    const Steps found = StepsOf(WithoutMarkers(std::move(trace)));
    EXPECT_EQ(found.source, StepSource::kRepetition) << found.source_name;
    EXPECT_EQ(found.items.size(), marked.items.size());
    if (found.items.size() != marked.items.size()) continue;
    std::vector<int64_t> durations;
    for (const Step& step : marked.items) durations.push_back(step.duration.ns);
    std::sort(durations.begin(), durations.end());
    const int64_t tolerance = durations[(durations.size() - 1) / 2] / 20;
    // Between two markers there is a moment that belongs to neither: a border may lie anywhere in
    // it.
    const auto distance = [](TimeNs border, TimeNs from, TimeNs to) {
      return std::max({int64_t{0}, (from - border).ns, (border - to).ns});
    };
    const size_t last = marked.items.size() - 1;
    EXPECT_NEAR(found.items[0].start.ns, marked.items[0].start.ns, tolerance) << "first";
    EXPECT_NEAR(found.items[last].end().ns, marked.items[last].end().ns, tolerance) << "last";
    for (size_t i = 1; i <= last; ++i) {
      EXPECT_LE(distance(found.items[i].start, marked.items[i - 1].end(), marked.items[i].start),
                tolerance)
          << i;
    }
  }
  std::printf("%zu marked profiles compared\n", compared);
}

TEST(FindSteps, InventsNoStepsWhereNothingRepeats) {
  const auto files = KinetoFiles();
  if (files.empty()) GTEST_SKIP() << "SKIPPED: no ../shared/data";
  for (const fs::path& file : files) {
    Trace trace = Open(file);
    const Steps marked = StepsOf(trace);
    // One step: the layers of a model repeat in it, the step itself does not.
    if (marked.source != StepSource::kProfilerStep || marked.items.size() != 1) continue;
    SCOPED_TRACE(file.string());
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

TEST(FindSteps, EqualsTheReferenceOnEveryKinetoAnswer) {
  if (!fs::exists(kData / "kineto_answers")) GTEST_SKIP() << "SKIPPED: no ../shared/data";
  const std::pair<const char*, const char*> traces[] = {
      {"resnet50_good", "h200/resnet50_good.pt.trace.json.gz"},
      {"resnet50_inputbound", "h200/resnet50_inputbound.pt.trace.json.gz"},
      {"tiny_launchbound", "h200/tiny_launchbound.pt.trace.json.gz"},
      {"tb_nw0", "tb_plugin/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"},
      {"tb_nw4", "tb_plugin/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz"},
  };
  for (const auto& [answers, file] : traces) {
    if (!fs::exists(kData / file)) GTEST_SKIP() << "SKIPPED: no ../shared/data/" << file;
    SCOPED_TRACE(file);
    std::ifstream in(kData / "kineto_answers" / answers / "reference.json");
    std::stringstream text;
    text << in.rdbuf();
    const std::string json = text.str();
    const Steps steps = StepsOf(Open(kData / file));
    size_t at = json.find("\"steps\"");
    for (const Step& step : steps.items) {
      at = json.find("\"step\":", at + 1);
      ASSERT_NE(at, std::string::npos);
      EXPECT_EQ(NumberAfter(json, "step", at), step.number);
      EXPECT_EQ(NumberAfter(json, "host_dur_ns", at), step.host_duration.ns);
      EXPECT_EQ(NumberAfter(json, "tb_dur_ns", at), step.duration.ns) << step.name;
    }
  }
}

}  // namespace
}  // namespace stepscope
