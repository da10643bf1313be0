// `stepscope timeline`: merging, choosing steps, placing runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "analyze/report.h"
#include "base/json_document.h"
#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "command/testing/run_verb.h"
#include "command/verb.h"
#include "link/linked_trace.h"
#include "study/study.h"

namespace stepscope {
namespace {

std::string Tfprof(const std::string& path) { return SourceFile("tests/tfprof" + path); }

// The spans of a timeline by category.
struct Spans {
  struct Span {
    std::string name;
    double start = 0;
    double end = 0;
    int64_t pid = 0;
    int64_t tid = 0;
  };
  std::map<std::string, std::vector<Span>> of;
  std::map<int64_t, int> flow_ends;  // by id: how many
  std::set<std::string> processes;
};
Spans SpansOf(const std::string& path) {
  const auto json = ParseJson(Content(path));
  if (!json) throw std::runtime_error("no JSON: " + path);
  Spans spans;
  for (const JsonValue& event : (*json)["traceEvents"].items()) {
    const std::string phase = event["ph"].text();
    if (event["cat"].text() == "flow") ++spans.flow_ends[event["id"].AsInt()];
    if (event["name"].text() == "process_name") {
      spans.processes.insert(event["args"]["name"].text());
    }
    if (phase != "X") continue;
    const double start = event["ts"].AsDouble();
    spans.of[event["cat"].text()].push_back({event["name"].text(), start,
                                             start + event["dur"].AsDouble(), event["pid"].AsInt(),
                                             event["tid"].AsInt()});
  }
  return spans;
}

Spans Timeline(std::vector<std::string> words) {
  const TempDir folder;
  const std::string out = folder / "timeline.json";
  words.insert(words.end(), {"-o", out});
  const Ran ran = RunVerb(RunTimeline, words);
  if (ran.status != 0) throw std::runtime_error("timeline failed: " + ran.err);
  return SpansOf(out);
}

// Runs of the published example, whose own merge put 80 GPU ops on the CPU's row.
TEST(TimelineAcceptance, MergesByName) {
  const std::string front = AcceptanceData("timelines/GPU") + "/timeline_02_step_";
  const TempDir folder;
  const std::string out = folder / "merged.json";
  const Ran ran =
      RunVerb(RunTimeline, {front + "0.json", front + "1.json", front + "2.json", "-o", out});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.err.find("warm-up"), std::string::npos);  // the first run
  const auto merged = ParseJson(Content(out));
  ASSERT_TRUE(merged);
  std::map<int64_t, std::string> names;
  for (const JsonValue& event : (*merged)["traceEvents"].items()) {
    if (event["name"].text() == "process_name") {
      names[event["pid"].AsInt()] = event["args"]["name"].text();
    }
  }
  std::map<std::pair<int64_t, std::string>, int> ops;
  std::map<int64_t, std::set<int64_t>> runs_of_flow;
  std::map<int64_t, int64_t> begin_of_run;
  for (const JsonValue& event : (*merged)["traceEvents"].items()) {
    if (event["ph"].text() == "X") {
      ++ops[{event["args"]["run"].AsInt(), names[event["pid"].AsInt()]}];
      if (event["cat"].text() == "run") {
        begin_of_run[event["ts"].AsInt()] = event["args"]["run"].AsInt();
      }
    }
  }
  for (const JsonValue& event : (*merged)["traceEvents"].items()) {
    if (event["cat"].text() != "flow") continue;
    const auto after = begin_of_run.upper_bound(event["ts"].AsInt());
    runs_of_flow[event["id"].AsInt()].insert(std::prev(after)->second);
  }
  for (int64_t run = 0; run < 3; ++run) {
    EXPECT_EQ((ops[{run, "/job:localhost/replica:0/task:0/gpu:0 Compute"}]), 80);
    EXPECT_EQ((ops[{run, "/job:localhost/replica:0/task:0/cpu:0 Compute"}]), 1);
  }
  EXPECT_EQ(runs_of_flow.size(), 14u + 21u + 12u);
  for (const auto& [flow, runs] : runs_of_flow) EXPECT_EQ(runs.size(), 1u);
}

TEST(Timeline, Placement) {
  const std::string run_0 = Tfprof("/gpu/run_meta_0.pb.gz");
  const std::string run_1 = Tfprof("/gpu/run_meta_1.pb.gz");
  const TempDir folder;
  const std::string out = folder / "placed.json";
  const auto starts = [&](std::vector<std::string> words) {
    words.insert(words.end(), {run_0, run_1, "-o", out});
    const Ran ran = RunVerb(RunTimeline, words);
    std::vector<std::pair<double, double>> bands;
    const auto json = ParseJson(Content(out));
    if (ran.status != 0 || !json) throw std::runtime_error("timeline failed: " + ran.err);
    for (const JsonValue& event : (*json)["traceEvents"].items()) {
      if (event["ph"].text() == "X" && event["cat"].text() == "run") {
        bands.emplace_back(event["ts"].AsDouble(), event["dur"].AsDouble());
      }
    }
    return bands;
  };
  const auto together = starts({"--align", "start"});
  ASSERT_EQ(together.size(), 2u);
  EXPECT_EQ(together[0].first, 0);
  EXPECT_EQ(together[1].first, 0);
  const auto end_to_end = starts({"--gap", "5"});
  ASSERT_EQ(end_to_end.size(), 2u);
  EXPECT_NEAR(end_to_end[1].first, end_to_end[0].second + 5000, 1e-3);
  EXPECT_EQ(starts({"--gap", "5", "--skip-warmup", "1"}).size(), 1u);
  EXPECT_EQ(RunVerb(RunTimeline, {run_0, "-o", out, "--skip-warmup", "1"}).status, 2);
  EXPECT_EQ(RunVerb(RunTimeline, {run_0, "-o", out, "--steps", "7-9"}).status, 2);
  EXPECT_EQ(RunVerb(RunTimeline, {run_0}).status, 2);
}

// ProfilerStep#3 and #4 of four, with the kernels they launched, whenever those ran.
TEST(Timeline, MarkedSteps) {
  const std::string file = Example("resnet50_inputbound.pt.trace.json.gz");
  const Spans all = Timeline({file});
  const Spans two = Timeline({file, "--steps", "3-4"});
  ASSERT_GE(all.of.at("step").size(), 3u);
  ASSERT_EQ(two.of.at("step").size(), 2u);
  EXPECT_EQ(two.of.at("step")[0].name.substr(0, 14), "ProfilerStep#3");
  // Arrows from a launch to its kernel; the file itself has some with one end.
  const auto arrows = [](const Spans& spans) {
    return std::count_if(spans.flow_ends.begin(), spans.flow_ends.end(),
                         [](const auto& flow) { return flow.second == 2; });
  };
  size_t kernels = 0;
  ptrdiff_t launches = 0;
  for (const int64_t step : {3, 4}) {
    const Spans one = Timeline({file, "--steps", std::to_string(step)});
    kernels += one.of.at("kernel").size();
    launches += arrows(one);
  }
  EXPECT_EQ(arrows(two), launches);
  EXPECT_GT(launches, 2000);
  EXPECT_EQ(two.of.at("kernel").size(), kernels);
  EXPECT_LT(kernels, all.of.at("kernel").size());
  EXPECT_EQ(RunVerb(RunTimeline, {file, "-o", "-", "--steps", "70-"}).status, 2);
}

// Marked or not, in any format, steps are those that `report` shows.
void ExpectStepsOfReport(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const Result<std::unique_ptr<Study>> study = Study::Open({file}, {});
    ASSERT_TRUE(study) << file;
    const std::vector<Step>& steps = (*study)->linked(0).steps.items;
    const Spans spans = Timeline({file});
    ASSERT_EQ(spans.of.contains("step") ? spans.of.at("step").size() : 0, steps.size()) << file;
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto& band = spans.of.at("step")[i];
      EXPECT_EQ(band.name.substr(0, steps[i].name.size()), steps[i].name);
      EXPECT_NEAR((band.end - band.start) * 1e3, static_cast<double>(steps[i].duration.ns), 1)
          << file;
    }
    if (steps.size() < 2) continue;
    const std::string number = std::to_string(steps[1].number);
    EXPECT_EQ(Timeline({file, "--steps", number}).of.at("step").size(), 1u) << file;
  }
}
TEST(Timeline, StepsFoundAsReportFindsThem) {
  ExpectStepsOfReport({Example("cudagraph_infer.pt.trace.json.gz"),
                       TestData("tf/gpu/run_meta_0.pb"), TestData("h200/jax_mlp.xplane.pb.zst"),
                       TestData("h200/jax_mlp.trace.json.zst"),
                       TestData("h200/ort_mobilenet.json.zst")});
}
TEST(TimelineAcceptance, StepsFoundAsReportFindsThem) {
  ExpectStepsOfReport({AcceptanceData("timelines/GPU/timeline_02_step_0.json")});
}

// The numbers of a report, without the ordinals of events, which are of the file.
std::vector<std::string> StoryOf(const std::string& path) {
  const Result<std::unique_ptr<Study>> study = Study::Open({path}, {.threads = 1});
  if (!study) throw std::runtime_error(InEnglish(study.error().sentence));
  const Report& report = (*study)->report(0);
  const StringTable& strings = (*study)->trace(0).strings;
  std::vector<std::string> story;
  story.push_back(fmt::format("bound by {} {:.6f} in step {}",
                              static_cast<int>(report.verdict.bound_by), report.verdict.share,
                              report.verdict.step));
  story.push_back(fmt::format("{} steps of {} ns, {} calls launch {}", report.step_statistics.used,
                              report.step_statistics.median.value().ns, report.launches.calls,
                              report.launches.pairs));
  for (const StepBreakdown& step : report.breakdown) {
    for (const DeviceStep& device : step.devices) {
      story.push_back(fmt::format("step: busy {} compute {} copy {} idle {}", device.busy.ns,
                                  device.compute.ns, device.exposed_copy.ns, device.idle.ns));
    }
  }
  for (const IdleCause& cause : report.idle_causes) {
    story.push_back(fmt::format("idle {} {}", static_cast<int>(cause.cause), cause.total.ns));
  }
  for (const KernelRow& row : report.kernels) {
    story.push_back(fmt::format("kernel {} {} {}", strings[row.name], row.calls, row.total.ns));
  }
  for (const OpRow& row : report.ops) {
    story.push_back(fmt::format("op {} {} {} {} {}", strings[row.name], row.calls, row.host_self.ns,
                                row.host_total.ns, row.device_total.ns));
  }
  return story;
}

TEST(Timeline, PerfettoReadsBackAsTheSameStory) {
  for (const char* name :
       {"h200/tiny_launchbound.pt.trace.json.zst", "h200/gpt2_modules.pt.trace.json.zst"}) {
    const TempDir folder;
    const std::string out = folder / "timeline.pftrace";
    const Ran ran = RunVerb(RunTimeline, {TestData(name), "-o", out});
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(StoryOf(out), StoryOf(TestData(name))) << name;
  }
}

// Runs that overlap have rows of their own: spans of a row nest or follow each other.
TEST(Timeline, RunsThatOverlapAreKeptApart) {
  const std::string run_0 = Tfprof("/gpu/run_meta_0.pb.gz");
  const std::string run_1 = Tfprof("/gpu/run_meta_1.pb.gz");
  const Spans beside = Timeline({run_0, run_1, "--align", "start"});
  ASSERT_EQ(beside.of.at("run").size(), 2u);
  EXPECT_NE(beside.of.at("run")[0].tid, beside.of.at("run")[1].tid);
  const Spans after = Timeline({run_0, run_1, "--gap", "1"});
  ASSERT_EQ(after.of.at("run").size(), 2u);
  EXPECT_EQ(after.of.at("run")[0].tid, after.of.at("run")[1].tid);
  EXPECT_EQ(beside.processes.size(), 2 * after.processes.size() - 1);  // Runs is there once
  for (const Spans& spans : {beside, after}) {
    std::map<std::pair<int64_t, int64_t>, std::vector<Spans::Span>> rows;
    for (const auto& [category, list] : spans.of) {
      for (const Spans::Span& span : list) rows[{span.pid, span.tid}].push_back(span);
    }
    for (auto& [row, list] : rows) {
      std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
        return std::pair(a.start, -a.end) < std::pair(b.start, -b.end);
      });
      std::vector<double> open;
      for (const Spans::Span& span : list) {
        while (!open.empty() && open.back() <= span.start + 1e-6) open.pop_back();
        if (!open.empty()) {
          EXPECT_LE(span.end, open.back() + 1e-6) << span.name;
        }
        open.push_back(span.end);
      }
    }
  }
}

TEST(Timeline, AlignNeedsWhatFilesKnow) {
  const std::string run_0 = Tfprof("/gpu/run_meta_0.pb.gz");
  const std::string run_1 = Tfprof("/gpu/run_meta_1.pb.gz");
  const auto starts = [&](const char* how) {
    std::vector<double> found;
    for (const auto& band : Timeline({run_0, run_1, "--align", how}).of.at("run")) {
      found.push_back(band.start);
    }
    return found;
  };
  const std::vector<double> epoch = starts("epoch");
  const std::vector<double> none = starts("none");
  ASSERT_EQ(epoch.size(), 2u);
  ASSERT_EQ(none.size(), 2u);
  EXPECT_EQ(std::min(epoch[0], epoch[1]), 0);
  EXPECT_GT(none[0], 1e15);  // microseconds since 1970
  EXPECT_NEAR(none[1] - none[0], epoch[1] - epoch[0], 1);
}

}  // namespace
}  // namespace stepscope
