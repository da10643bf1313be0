// AMD TraceLens' own goldens (tracelens): eight traces of two vendors. TraceLens adds
// up in double or float microseconds, hence the tolerances.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "analyze/testing/real_trace.h"

namespace stepscope {
namespace {

// Rows of a CSV file, by column name. Fields may be quoted.
std::vector<std::map<std::string, std::string>> ReadCsv(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> header;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.emplace_back();
      } else if (c != '\r') {
        fields.back() += c;
      }
    }
    if (header.empty()) {
      header = fields;
      continue;
    }
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < header.size() && i < fields.size(); ++i) row[header[i]] = fields[i];
  }
  return rows;
}

class TraceLens : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string trace = std::string("tracelens/") + GetParam();
    folder_ = AcceptanceData(trace + "_perf_report_csvs/");
    real_.emplace(ReportOf(AcceptanceData(trace + ".json.gz")));
  }
  const Report& report() const { return real_->report; }

  std::string folder_;
  std::optional<RealReport> real_;
};

TEST_P(TraceLens, GpuTimeline) {
  std::map<std::string, double> ms;
  for (auto& row : ReadCsv(folder_ + "gpu_timeline.csv")) {
    ms[row["type"]] = std::stod(row["time ms"]);
  }
  ASSERT_EQ(report().device_timeline.size(), 1u);
  const TimelineTotals& totals = report().device_timeline[0].linked;
  const auto expect = [&](DurationNs time, const char* type) {
    EXPECT_NEAR(static_cast<double>(time.ns) / 1e6, ms.at(type), 1e-3) << type;
  };
  expect(totals.compute, "computation_time");
  expect(totals.exposed_communication, "exposed_comm_time");
  expect(totals.exposed_copy, "exposed_memcpy_time");
  expect(totals.busy, "busy_time");
  expect(totals.idle, "idle_time");
  expect(totals.total, "total_time");
}

TEST_P(TraceLens, OpsSummary) {
  std::map<std::string, const OpRow*> ops;
  for (const OpRow& row : report().ops) {
    if (row.kind == Kind::kOp) ops[std::string(real_->Name(row.name))] = &row;
  }
  for (auto& row : ReadCsv(folder_ + "ops_summary.csv")) {
    SCOPED_TRACE(row["name"]);
    ASSERT_TRUE(ops.contains(row["name"]));
    const OpRow& op = *ops[row["name"]];
    const double us = std::stod(row["total_direct_kernel_time_sum"]);
    EXPECT_NEAR(static_cast<double>(op.device_self_union.ns) / 1e3, us, 0.2 + us * 1e-5);
    EXPECT_EQ(op.calls_launching, std::stoull(row["Count"]));
  }
}

TEST_P(TraceLens, KernelSummary) {
  std::map<std::pair<std::string, std::string>, double> us;  // (op, kernel); no op: ""
  for (const KernelRow& row : report().kernels) {
    const std::string kernel(real_->Name(row.name));
    DurationNs rest = row.total;
    for (const LaunchedBy& by : row.launched_by) {
      us[{std::string(real_->Name(by.op)), kernel}] += static_cast<double>(by.total.ns) / 1e3;
      rest -= by.total;
    }
    us[{"", kernel}] += static_cast<double>(rest.ns) / 1e3;
  }
  std::map<std::pair<std::string, std::string>, double> golden;
  for (auto& row : ReadCsv(folder_ + "kernel_summary.csv")) {
    golden[{row["Parent cpu_op"], row["Kernel name"]}] +=
        std::stod(row["Kernel duration (µs)_sum"]);
  }
  ASSERT_FALSE(golden.empty());
  for (const auto& [key, sum] : golden) {
    EXPECT_NEAR(us[key], sum, 0.01) << key.first << " / " << key.second;
  }
}

INSTANTIATE_TEST_SUITE_P(Acceptance, TraceLens,
                         testing::Values("h100/Falconsai_nsfw_image_detection__1016002",
                                         "h100/Qwen_Qwen1.5-0.5B-Chat__1016005",
                                         "h100/facebook_timesformer-base-finetuned-k400__1016002",
                                         "h100/gaunernst_bert-small-uncased__1016001",
                                         "mi300/Falconsai_nsfw_image_detection__1016002",
                                         "mi300/Qwen_Qwen1.5-0.5B-Chat__1016005",
                                         "mi300/facebook_timesformer-base-finetuned-k400__1016002",
                                         "mi300/gaunernst_bert-small-uncased__1016001"));

}  // namespace
}  // namespace stepscope
