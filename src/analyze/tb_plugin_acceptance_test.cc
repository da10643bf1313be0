// Every table of the TensorBoard plugin's own expected results (tb_plugin): step rows,
// averages, GPU metrics, operators and kernels of two runs, in its whole microseconds.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "analyze/testing/real_trace.h"

namespace stepscope {
namespace {

constexpr const char* kAnswers = "tb_plugin/result_check_file.txt";

struct Run {
  const char* trace;
  size_t first_line;  // of its five in the answers
};

class TbPlugin : public testing::TestWithParam<Run> {
 protected:
  void SetUp() override {
    std::ifstream file(AcceptanceData(kAnswers));
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
    real_.emplace(ReportOf(AcceptanceData(GetParam().trace)));
  }
  Json Answer(size_t table) const { return Json::Parse(lines_.at(GetParam().first_line + table)); }
  const Report& report() const { return real_->report; }
  const LinkedTrace& linked() const { return real_->linked; }

  std::vector<std::string> lines_;
  std::optional<RealReport> real_;
};

// In the plugin's order of columns: Kernel, Memcpy, Memset, Runtime, DataLoader, CPU Exec, Other.
std::array<DurationNs, 7> Columns(const PriorityPartition& p) {
  return {p.kernel, p.memcpy, p.memset, p.runtime, p.dataloader, p.cpu_exec, p.other};
}

TEST_P(TbPlugin, StepRowsAndAverages) {
  const Json overview = Answer(0);
  const Json& rows = overview["steps"]["rows"];
  std::array<int64_t, 7> sums{};
  int64_t total = 0;
  ASSERT_EQ(rows.size(), 6u);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Step& step = linked().steps.items.at(i);
    ASSERT_TRUE(report().breakdown[i].priority.has_value());
    EXPECT_EQ(std::to_string(step.number), rows[i][size_t{0}].text());
    const auto columns = Columns(*report().breakdown[i].priority);
    for (size_t c = 0; c < columns.size(); ++c) {
      EXPECT_EQ(columns[c].ns, rows[i][1 + 2 * c].integer() * 1000) << step.name << " column " << c;
      sums[c] += columns[c].ns;
    }
    total += step.duration.ns;
  }
  for (size_t i = rows.size(); i < report().breakdown.size(); ++i) {
    EXPECT_FALSE(report().breakdown[i].priority.has_value());
  }
  const Json& average = overview["performance"][size_t{0}];
  EXPECT_EQ(std::llround(static_cast<double>(total) / 6e3), average["value"].integer());
  for (size_t c = 0; c < sums.size(); ++c) {
    EXPECT_EQ(std::llround(static_cast<double>(sums[c]) / 6e3),
              average["children"][c]["value"].integer());
  }
}

TEST_P(TbPlugin, GpuMetrics) {
  std::map<std::string, double> metrics;
  const Json overview = Answer(0);
  for (const Json& row : overview["gpu_metrics"]["data"].items()) {
    if (row["value"].text().ends_with(" %")) {
      metrics[row["title"].text()] = std::stod(row["value"].text());
    }
  }
  ASSERT_EQ(metrics.size(), 4u);
  const DeviceTimeline& timeline = report().device_timeline.at(0);
  constexpr double kTwoDecimals = 0.005;
  EXPECT_NEAR(timeline.utilization_percent.value(), metrics["GPU Utilization"], kTwoDecimals);
  EXPECT_NEAR(timeline.sm_efficiency_percent.value(), metrics["Est. SM Efficiency"], kTwoDecimals);
  EXPECT_NEAR(timeline.occupancy_percent.value(), metrics["Est. Achieved Occupancy"], kTwoDecimals);
  EXPECT_NEAR(timeline.tensor_core_percent.value(), metrics["Kernel Time using Tensor Cores"],
              kTwoDecimals);
}

TEST_P(TbPlugin, Operators) {
  std::map<std::string, const OpRow*> rows;
  size_t shown = 0;
  for (const OpRow& row : report().ops) {
    const std::string name(real_->Name(row.name));
    rows[name] = &row;
    // The plugin has no rows for the DataLoader and for optimizers.
    const bool region = name.starts_with("enumerate(") || name.starts_with("Optimizer.");
    if (row.kind == Kind::kOp && !region) ++shown;
  }
  const Json table = Answer(2);
  EXPECT_EQ(shown, table["data"].size());
  for (const Json& answer : table["data"].items()) {
    SCOPED_TRACE(answer["name"].text());
    ASSERT_TRUE(rows.contains(answer["name"].text()));
    const OpRow& row = *rows[answer["name"].text()];
    EXPECT_EQ(static_cast<int64_t>(row.calls_outermost), answer["calls"].integer());
    EXPECT_EQ(row.device_self.ns, answer["device_self_duration"].integer() * 1000);
    EXPECT_EQ(row.device_total_outermost.ns, answer["device_total_duration"].integer() * 1000);
    EXPECT_EQ(row.host_self_excl_runtime.ns, answer["host_self_duration"].integer() * 1000);
    EXPECT_EQ(row.host_total_outermost.ns, answer["host_total_duration"].integer() * 1000);
    EXPECT_EQ(row.tensor_core_eligible, answer["tc_eligible"].text() == "Yes");
    EXPECT_EQ(row.tensor_core.ns, 0);  // both runs are without tensor cores
    EXPECT_EQ(answer["tc_self_ratio"].number(), 0);
  }
}

TEST_P(TbPlugin, Kernels) {
  std::map<std::string, const KernelRow*> rows;
  for (const KernelRow& row : report().kernels) {
    if (row.kind == Kind::kKernel) rows[std::string(real_->Name(row.name))] = &row;
  }
  const Json table = Answer(3);
  EXPECT_EQ(rows.size(), table["data"]["rows"].size());
  for (const Json& answer : table["data"]["rows"].items()) {
    SCOPED_TRACE(answer[size_t{0}].text());
    ASSERT_TRUE(rows.contains(answer[size_t{0}].text()));
    const KernelRow& row = *rows[answer[size_t{0}].text()];
    EXPECT_EQ(row.tensor_core, answer[1].text() == "Yes");
    EXPECT_EQ(static_cast<int64_t>(row.calls), answer[2].integer());
    EXPECT_EQ(row.total.ns, answer[3].integer() * 1000);
    EXPECT_NEAR(static_cast<double>(row.total.ns) / static_cast<double>(row.calls) / 1e3,
                answer[4].number(), 0.5);
    EXPECT_EQ(row.max.ns, answer[5].integer() * 1000);
    EXPECT_EQ(row.min.ns, answer[6].integer() * 1000);
    EXPECT_NEAR(row.mean_blocks_per_sm.value(), answer[7].number(), 0.0051);
    EXPECT_NEAR(row.mean_occupancy_percent.value(), answer[8].number(), 0.0051);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Acceptance, TbPlugin,
    testing::Values(
        Run{"tb_plugin/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz", 0},
        Run{"tb_plugin/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz", 5}));

}  // namespace
}  // namespace stepscope
