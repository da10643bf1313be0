// Reports of TensorFlow's and JAX's profiles against what is known of them: the same run in two
// formats, the facts of each file, and XProf's own numbers where those are right.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "analyze/testing/real_trace.h"

namespace stepscope {
namespace {

const KernelRow* KernelCalled(const RealReport& real, std::string_view name) {
  for (const KernelRow& row : real.report.kernels) {
    if (real.Name(row.name) == name) return &row;
  }
  return nullptr;
}

const OpRow* OpCalled(const RealReport& real, std::string_view name) {
  for (const OpRow& row : real.report.ops) {
    if (real.Name(row.name) == name) return &row;
  }
  return nullptr;
}

// One run of JAX in both formats. Every difference between the two reports, with its reason:
//   - events: the JSON has no MemoryAllocation and MemoryDeallocation (287 events) and no instants;
//     it has 24 metadata events and one empty event more;
//   - memory: only in the XPlane;
//   - framework, its version, host and start time: only in the XPlane;
//   - the HLO op behind a kernel of a CUDA graph: only in the XPlane, which carries the modules;
//   - times: the JSON's are rounded to ns once for start and once for duration, the XPlane's for
//     start and end: each may differ by 1 ns.
TEST(XPlaneAnswers, TheTwoFormatsOfOneRunTellTheSameStory) {
  const RealReport plane = ReportOf(TestData("h200/jax_mlp.xplane.pb.zst"));
  const RealReport json = ReportOf(TestData("h200/jax_mlp.trace.json.zst"));
  const auto near = [](DurationNs a, DurationNs b, int64_t tolerance) {
    return std::abs(a.ns - b.ns) <= tolerance;
  };
  EXPECT_EQ(plane.linked.steps.source, StepSource::kStepTraceAnnotation);
  EXPECT_EQ(json.linked.steps.source, StepSource::kStepTraceAnnotation);
  ASSERT_EQ(plane.linked.steps.items.size(), 8u);
  ASSERT_EQ(json.linked.steps.items.size(), 8u);
  for (size_t s = 0; s < 8; ++s) {
    const Step& a = plane.linked.steps.items[s];
    const Step& b = json.linked.steps.items[s];
    EXPECT_EQ(a.number, b.number);
    EXPECT_EQ(a.used(), b.used()) << s;
    EXPECT_TRUE(near(a.start - TimeNs{}, b.start - TimeNs{}, 1)) << s;
    EXPECT_TRUE(near(a.duration, b.duration, 2)) << s;
    const DeviceStep& da = plane.report.breakdown[s].devices.at(0);
    const DeviceStep& db = json.report.breakdown[s].devices.at(0);
    EXPECT_TRUE(near(da.busy, db.busy, 60)) << s;  // up to 46 pieces of work, 1 ns each
    EXPECT_TRUE(near(da.compute, db.compute, 60)) << s;
    EXPECT_TRUE(near(da.copy, db.copy, 4)) << s;
    EXPECT_TRUE(near(da.idle, db.idle, 60)) << s;
    for (size_t cause = 0; cause < kCauses; ++cause) {
      EXPECT_TRUE(near(da.idle_causes[cause], db.idle_causes[cause], 60)) << s << " " << cause;
    }
  }
  EXPECT_EQ(plane.report.verdict.bound_by, json.report.verdict.bound_by);
  EXPECT_EQ(plane.linked.links.device_events, 368u);
  EXPECT_EQ(json.linked.links.device_events, 368u);
  EXPECT_EQ(plane.linked.links.linked_by_correlation, json.linked.links.linked_by_correlation);
  ASSERT_EQ(plane.report.kernels.size(), json.report.kernels.size());
  for (const KernelRow& row : plane.report.kernels) {
    const KernelRow* other = KernelCalled(json, plane.Name(row.name));
    ASSERT_NE(other, nullptr) << plane.Name(row.name);
    EXPECT_EQ(row.calls, other->calls);
    EXPECT_TRUE(near(row.total, other->total, static_cast<int64_t>(row.calls)));
  }
}

// xprof_answers/jax_mlp: kernel_stats is right there; µs.
TEST(XPlaneAnswers, KernelsAreThoseOfXprof) {
  const RealReport real = ReportOf(TestData("h200/jax_mlp.xplane.pb.zst"));
  const Json answers = Json::Read(TestData("xprof_answers/jax_mlp.xprof.json"));
  const Json& table = answers["kernel_stats"][0];
  std::map<std::string, std::pair<uint64_t, double>> by_name;
  for (const Json& row : table["rows"].items()) {
    auto& [calls, total] = by_name[row["kernel_name"].text()];
    calls += static_cast<uint64_t>(row["occurrences"].number());
    total += row["total_duration_us"].number();
  }
  EXPECT_EQ(by_name.size(), 18u);
  for (const auto& [name, answer] : by_name) {
    const KernelRow* row = KernelCalled(real, name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->calls, answer.first) << name;
    EXPECT_NEAR(static_cast<double>(row->total.ns) / 1e3, answer.second, 0.05) << name;
  }
}

// xprof_answers of TensorFlow profiles: the steps it keeps, and total times of ops, are right.
TEST(XPlaneAnswers, StepsAndOpTimesAreThoseOfXprof) {
  for (const std::string name :
       {"custom_compute", "custom_readback", "keras_inputbound", "keras_inputbound_plain",
        "keras_fixed", "jax_train", "jax_inputbound"}) {
    SCOPED_TRACE(name);
    const RealReport real = ReportOf(TestData("tf_xplane/" + name + ".xplane.pb.zst"));
    const Json answers = Json::Read(TestData("xprof_answers/" + name + ".xprof.json"));
    std::map<std::string, DurationNs> steps;
    for (const Step& step : real.linked.steps.items) {
      steps[step.name + " " + std::to_string(step.number)] = step.host_duration;
    }
    for (const Json& row : answers["overview_page"][1]["rows"].items()) {
      ASSERT_TRUE(steps.contains(row["stepnum"].text())) << row["stepnum"].text();
      EXPECT_NEAR(static_cast<double>(steps[row["stepnum"].text()].ns) / 1e6,
                  row["stepTimeMs"].number(), 2e-6);
    }
    size_t compared = 0;
    for (const Json& row : answers["framework_op_stats"][0]["rows"].items()) {
      const std::string op = row["operation"].text() + ":" + row["type"].text();
      const OpRow* ours = OpCalled(real, op);
      if (ours == nullptr) continue;  // IDLE, iterators
      ++compared;
      const double calls = static_cast<double>(ours->calls);
      EXPECT_NEAR(static_cast<double>(ours->host_total.ns) / 1e3, row["total_time"].number(),
                  0.001 * calls + 0.001)
          << op;
    }
    EXPECT_GE(compared, name.starts_with("jax") ? 0u : 10u);  // XProf has no ops of those
  }
}

// "Iterator::Root::ForeverRepeat[0]::BatchV2" as our tree spells it.
std::string PathOfIterator(std::string name) {
  std::string path;
  name.erase(0, std::string("Iterator::").size());
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find("::", at), name.size());
    const std::string part = name.substr(at, end - at);
    path += (path.empty() ? "" : " > ") + part.substr(0, part.find('['));
    at = end + 2;
  }
  return path;
}

// Its total times of tf.data iterators are right, too, epochs of a Repeat apart.
TEST(XPlaneAnswers, IteratorTimesAreThoseOfXprof) {
  size_t compared = 0;
  for (const std::string name : {"custom_compute", "custom_readback", "keras_inputbound",
                                 "keras_inputbound_plain", "keras_fixed"}) {
    const RealReport real = ReportOf(TestData("tf_xplane/" + name + ".xplane.pb.zst"));
    const Json answers = Json::Read(TestData("xprof_answers/" + name + ".xprof.json"));
    std::map<std::string, std::pair<double, double>> theirs;  // calls, µs
    for (const Json& row : answers["framework_op_stats"][0]["rows"].items()) {
      if (row["type"].text() != "Dataset") continue;
      auto& [calls, micros] = theirs[PathOfIterator(row["operation"].text())];
      calls += row["occurrences"].number();
      micros += row["total_time"].number();
    }
    for (const InputStage& stage : real.report.input.stages) {
      const auto at = theirs.find(stage.path);
      const auto calls = static_cast<double>(stage.calls);
      // Its table was cut at 40 rows: some epochs are missing there.
      if (at == theirs.end() || at->second.first != calls) continue;
      EXPECT_NEAR(static_cast<double>(stage.total.ns) / 1e3, at->second.second, 0.001 * calls)
          << name << ' ' << stage.path;
      ++compared;
    }
  }
  EXPECT_GE(compared, 15u);
}

// What XProf gets wrong there, from the raw events (docs/xprof-differences.md).
TEST(XPlaneAnswers, CudaGraphKernelsCountAsWork) {
  const RealReport real = ReportOf(TestData("h200/jax_mlp.xplane.pb.zst"));
  const DeviceTimeline& timeline = real.report.device_timeline.at(0);
  EXPECT_NEAR(static_cast<double>(timeline.all.busy.ns), 17.378e6, 1e3);  // XProf: 0.0706e6
  int64_t graph = 0;
  for (const DeviceArgs& args : real.trace().device_args) {
    if (args.graph_node != 0) graph += real.trace().slices.duration[args.slice].ns;
  }
  EXPECT_NEAR(static_cast<double>(graph), 14.66e6, 0.01e6);
}

struct CpuFacts {
  const char* name;
  uint32_t steps;
  int64_t first_number;
  double mean_ms;  // of the markers
  double wait_ms;  // a step
  BoundBy bound_by;
};

// The table of tf_xplane/README.md.
TEST(XPlaneAnswers, CpuProfilesSayWhatIsTrueOfThemByConstruction) {
  const std::vector<CpuFacts> facts = {
      {"keras_inputbound", 21, 49, 30.293, 27.631, BoundBy::kInput},
      {"keras_inputbound_plain", 11, 19, 30.660, 27.800, BoundBy::kInput},
      {"keras_fixed", 21, 49, 1.296, 0.023, BoundBy::kHost},
      {"custom_compute", 12, 8, 63.059, 0.043, BoundBy::kCompute},
      {"custom_readback", 15, 3, 1.706, 0.082, BoundBy::kHost},
      {"jax_train", 10, 100, 3.325, 0, BoundBy::kCompute},
      {"jax_inputbound", 12, 0, 25.527, 21.62, BoundBy::kInput},
  };
  for (const CpuFacts& fact : facts) {
    const std::string path = TestData(std::string("tf_xplane/") + fact.name + ".xplane.pb.zst");
    SCOPED_TRACE(fact.name);
    const RealReport real = ReportOf(path);
    const auto& steps = real.linked.steps.items;
    ASSERT_EQ(steps.size(), fact.steps);
    EXPECT_EQ(steps.front().number, fact.first_number);
    EXPECT_EQ(steps.back().number, fact.first_number + fact.steps - 1);
    double sum = 0, wait = 0;
    for (size_t s = 0; s < steps.size(); ++s) {
      sum += static_cast<double>(steps[s].host_duration.ns) / 1e6;
      wait += static_cast<double>(real.report.input.wait[s].ns) / 1e6;
      const DeviceStep& cpu = real.report.breakdown[s].devices.at(0);
      EXPECT_EQ(cpu.busy.ns + cpu.idle.ns, steps[s].duration.ns);
    }
    EXPECT_NEAR(sum / fact.steps, fact.mean_ms, 0.0006);
    EXPECT_NEAR(wait / fact.steps, fact.wait_ms, 0.0006 + fact.wait_ms * 0.001);
    EXPECT_EQ(real.report.verdict.bound_by, fact.bound_by) << NameOf(real.report.verdict.bound_by);
    EXPECT_EQ(real.DeviceName(real.report.verdict.device), "cpu:0");
  }
}

// XProf counts memory events as calls of the op that allocated (24 instead of 12).
TEST(XPlaneAnswers, AllocationsAreNoCallsOfAnOp) {
  const RealReport real = ReportOf(TestData("tf_xplane/custom_compute.xplane.pb.zst"));
  const OpRow* matmul =
      OpCalled(real, "gradient_tape/sequential_1/dense_1_2/MatMul/MatMul:_MklMatMul");
  ASSERT_NE(matmul, nullptr);
  EXPECT_EQ(matmul->calls, 12u);
  EXPECT_NEAR(static_cast<double>(matmul->host_total.ns), 214.278e6, 1e3);
}

TEST(XPlaneAnswers, CompilationIsNamed) {
  const RealReport real = ReportOf(TestData("rules/warmup-step-in-profile.bad.vm.xplane.pb.zst"));
  ASSERT_EQ(real.linked.steps.items.size(), 6u);
  EXPECT_NEAR(static_cast<double>(real.linked.steps.items[0].host_duration.ns), 232.4e6, 0.05e6);
  EXPECT_EQ(real.linked.steps.items[0].why_unused, WhyUnused::kWarmup);
  const auto& causes = real.report.breakdown[0].devices.at(0).idle_causes;
  EXPECT_GT(causes[static_cast<size_t>(Cause::kCompile)].ns, 100'000'000);
}

TEST(XPlaneAnswersAcceptance, ATpuProfileWithoutMarkersHasTheRunsOfItsModuleAsSteps) {
  const RealReport real = ReportOf(AcceptanceData("xprof/tpu_inference_2_old.xplane.pb"));
  EXPECT_EQ(real.linked.steps.items.size(), 100u);
  EXPECT_EQ(real.report.breakdown[0].devices.size(), 4u);
  EXPECT_EQ(real.linked.links.linked_by_correlation, real.linked.links.device_events);
}

}  // namespace
}  // namespace stepscope
