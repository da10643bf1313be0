// The exact answers of kineto_answers, worked out from the raw JSON by a program of its
// own: thirteen traces, every quantity that the report holds, to the nanosecond.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "analyze/testing/real_trace.h"

namespace stepscope {
namespace {

struct Answered {
  std::string folder;  // of kineto_answers
  std::string trace;
  std::string (*find)(const std::string&);  // where the trace is
};

std::vector<Answered> OurTraces() {
  return {{"resnet50_good", "h200/resnet50_good.pt.trace.json.zst", TestData},
          {"resnet50_inputbound", "resnet50_inputbound.pt.trace.json.gz", Example},
          {"tiny_launchbound", "h200/tiny_launchbound.pt.trace.json.zst", TestData}};
}

std::vector<Answered> TracesOfOthers() {
  std::vector<Answered> all;
  all.push_back({"tb_nw0",
                 "tb_plugin/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
                 AcceptanceData});
  all.push_back({"tb_nw4",
                 "tb_plugin/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz",
                 AcceptanceData});
  for (const std::string gpu : {"h100", "mi300"}) {
    for (const std::string model :
         {"Falconsai_nsfw_image_detection__1016002", "Qwen_Qwen1.5-0.5B-Chat__1016005",
          "facebook_timesformer-base-finetuned-k400__1016002",
          "gaunernst_bert-small-uncased__1016001"}) {
      all.push_back({"tracelens_" + gpu + "_" + model,
                     "tracelens/" + gpu + "/" + model + ".json.gz", AcceptanceData});
    }
  }
  return all;
}

// One report and its answers a trace, shared by the tests below.
class Reference : public testing::TestWithParam<Answered> {
 protected:
  void SetUp() override {
    static std::map<std::string, std::pair<RealReport, Json>> known;
    auto at = known.find(GetParam().folder);
    if (at == known.end()) {
      known.clear();
      const Answered& answered = GetParam();
      const std::string answers = "kineto_answers/" + answered.folder + "/reference.json";
      Json json =
          Json::Read(answered.find == AcceptanceData ? AcceptanceData(answers) : TestData(answers));
      RealReport real = ReportOf(answered.find(answered.trace));
      at = known.emplace(answered.folder, std::pair(std::move(real), std::move(json))).first;
    }
    real_ = &at->second.first;
    answers_ = &at->second.second;
  }
  const Report& report() const { return real_->report; }
  const LinkedTrace& linked() const { return real_->linked; }
  const Trace& trace() const { return real_->trace(); }
  // Times of the answers are as in the file.
  int64_t SinceFirst(const Json& time) const {
    return time.integer() + (*answers_)["counts"]["base_ns"].integer() -
           trace().facts.start_unix_ns.value();
  }

  const RealReport* real_ = nullptr;
  const Json* answers_ = nullptr;
};

TEST_P(Reference, Counts) {
  const Json& counts = (*answers_)["counts"];
  EXPECT_EQ(static_cast<int64_t>(trace().events.in_file), counts["events"].integer());
  EXPECT_EQ(trace().events.diagnosed, 0u);
  for (const auto& [phase, count] : counts["ph"].members()) {
    EXPECT_EQ(static_cast<int64_t>(trace().events.by_phase.at(phase)), count.integer()) << phase;
  }
  for (const auto& [category, count] : counts["cat_X"].members()) {
    EXPECT_EQ(static_cast<int64_t>(trace().events.complete_by_category.at(category)),
              count.integer())
        << category;
  }
}

TEST_P(Reference, Links) {
  const Json& links = (*answers_)["links"];
  EXPECT_EQ(static_cast<int64_t>(linked().links.device_events), links["device_events"].integer());
  EXPECT_EQ(static_cast<int64_t>(linked().links.linked_by_correlation), links["linked"].integer());
  EXPECT_EQ(static_cast<int64_t>(linked().links.calls.size()),
            links["runtime_events_with_device_work"].integer());
}

TEST_P(Reference, Launches) {
  const Json& launch = (*answers_)["launch"];
  const Launches& launches = report().launches;
  EXPECT_EQ(static_cast<int64_t>(launches.pairs), launch["pairs"].integer());
  EXPECT_EQ(launches.total_delay.ns, launch["delay_sum_ns"].integer());
  EXPECT_EQ(launches.median_delay.value().ns, launch["delay_median_ns"].integer());
  EXPECT_EQ(launches.max_delay.ns, launch["delay_max_ns"].integer());
}

TEST_P(Reference, Queues) {
  const Json& queues = (*answers_)["queue"];
  ASSERT_EQ(report().launches.queues.size(), queues.size());
  for (const StreamQueue& queue : report().launches.queues) {
    const int32_t device = trace().devices[static_cast<size_t>(queue.device)].index;
    const Json& answer = queues[std::to_string(device) + "/" + std::to_string(queue.stream)];
    EXPECT_EQ(static_cast<int64_t>(queue.max), answer["max"].integer());
    EXPECT_EQ(static_cast<int64_t>(2 * queue.pairs), answer["points"].integer());
    EXPECT_NEAR(queue.mean, answer["time_weighted_mean"].number(), 1e-6);
  }
}

void ExpectTimeline(const TimelineTotals& totals, const Json& answer) {
  EXPECT_EQ(totals.total.ns, answer["total_ns"].integer());
  EXPECT_EQ(totals.busy.ns, answer["busy_ns"].integer());
  EXPECT_EQ(totals.idle.ns, answer["idle_ns"].integer());
  EXPECT_EQ(totals.compute.ns, answer["computation_ns"].integer());
  EXPECT_EQ(totals.exposed_copy.ns, answer["exposed_memcpy_ns"].integer());
  EXPECT_EQ(totals.exposed_communication.ns, answer["exposed_comm_ns"].integer());
}

TEST_P(Reference, DeviceTimeline) {
  const Json& devices = (*answers_)["device"];
  ASSERT_EQ(report().device_timeline.size(), devices.size());
  for (const DeviceTimeline& timeline : report().device_timeline) {
    const int32_t device = trace().devices[static_cast<size_t>(timeline.device)].index;
    ExpectTimeline(timeline.all, devices[std::to_string(device)]);
    ExpectTimeline(timeline.linked, (*answers_)["linked_timeline"]);
  }
}

TEST_P(Reference, Steps) {
  if (!answers_->has("steps") || !(*answers_)["steps"].has("steps")) return;
  const Json& steps = (*answers_)["steps"]["steps"];
  ASSERT_EQ(linked().steps.items.size(), steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = linked().steps.items[i];
    EXPECT_EQ(step.number, steps[i]["step"].integer());
    EXPECT_EQ(step.host_start.ns, SinceFirst(steps[i]["host_start_ns"]));
    EXPECT_EQ(step.host_duration.ns, steps[i]["host_dur_ns"].integer());
    EXPECT_EQ(step.start.ns, SinceFirst(steps[i]["tb_start_ns"]));
    EXPECT_EQ(step.duration.ns, steps[i]["tb_dur_ns"].integer());
    const StepBreakdown& breakdown = report().breakdown[i];
    for (const DeviceStep& device : breakdown.devices) {
      const int32_t index = trace().devices[static_cast<size_t>(device.device)].index;
      EXPECT_EQ(device.busy.ns, steps[i]["busy_tb_ns"][std::to_string(index)].integer());
      EXPECT_EQ(device.compute + device.exposed_communication + device.exposed_copy +
                    device.exposed_memset + device.idle,
                step.duration);
      DurationNs causes;
      for (const DurationNs cause : device.idle_causes) causes += cause;
      EXPECT_EQ(causes, device.idle);
    }
    ASSERT_EQ(breakdown.priority.has_value(), steps[i]["kept_by_tb"].boolean());
    if (!breakdown.priority) continue;
    const Json& answer = steps[i]["breakdown_ns"];
    const PriorityPartition& priority = *breakdown.priority;
    EXPECT_EQ(priority.kernel.ns, answer["Kernel"].integer());
    EXPECT_EQ(priority.memcpy.ns, answer["Memcpy"].integer());
    EXPECT_EQ(priority.memset.ns, answer["Memset"].integer());
    EXPECT_EQ(priority.communication.ns, answer["Communication"].integer());
    EXPECT_EQ(priority.runtime.ns, answer["Runtime"].integer());
    EXPECT_EQ(priority.dataloader.ns, answer["DataLoader"].integer());
    EXPECT_EQ(priority.cpu_exec.ns, answer["CPU Exec"].integer());
    EXPECT_EQ(priority.other.ns, answer["Other"].integer());
  }
}

TEST_P(Reference, Kernels) {
  std::map<std::pair<std::string, std::string>, const KernelRow*> rows;
  for (const KernelRow& row : report().kernels) {
    rows[{std::string(NameOf(row.kind)), std::string(real_->Name(row.name))}] = &row;
  }
  for (const Json& answer : (*answers_)["kernels"].items()) {
    const auto at = rows.find({answer["kind"].text(), answer["name"].text()});
    ASSERT_NE(at, rows.end()) << answer["name"].text();
    const KernelRow& row = *at->second;
    EXPECT_EQ(static_cast<int64_t>(row.calls), answer["count"].integer());
    EXPECT_EQ(row.total.ns, answer["total_ns"].integer()) << answer["name"].text();
    EXPECT_EQ(row.min.ns, answer["min_ns"].integer());
    EXPECT_EQ(row.max.ns, answer["max_ns"].integer());
  }
}

TEST_P(Reference, Ops) {
  std::map<std::string, const OpRow*, std::less<>> rows;
  for (const OpRow& row : report().ops) {
    if (row.kind == Kind::kOp) rows[std::string(real_->Name(row.name))] = &row;
  }
  for (const Json& answer : (*answers_)["ops"]["rows"].items()) {
    const auto at = rows.find(answer["name"].text());
    ASSERT_NE(at, rows.end()) << answer["name"].text();
    const OpRow& row = *at->second;
    SCOPED_TRACE(at->first);
    EXPECT_EQ(static_cast<int64_t>(row.calls), answer["calls"].integer());
    EXPECT_EQ(static_cast<int64_t>(row.calls_outermost), answer["calls_outermost"].integer());
    // The answers also count calls whose own runtime calls launched nothing (hipStreamGetDevice).
    const bool launches = answer["device_events"].integer() > 0;
    EXPECT_EQ(static_cast<int64_t>(row.calls_launching),
              launches ? answer["calls_launching"].integer() : 0);
    EXPECT_EQ(row.host_total.ns, answer["cpu_total_ns"].integer());
    EXPECT_EQ(row.host_total_outermost.ns, answer["cpu_total_outermost_ns"].integer());
    EXPECT_EQ(row.host_self.ns, answer["cpu_self_ns"].integer());
    EXPECT_EQ(row.host_self_excl_runtime.ns, answer["cpu_self_excl_runtime_ns"].integer());
    EXPECT_EQ(row.device_self.ns, answer["device_self_ns"].integer());
    EXPECT_EQ(row.device_self_union.ns, answer["device_self_union_ns"].integer());
    EXPECT_EQ(row.device_total.ns, answer["device_total_ns"].integer());
    EXPECT_EQ(row.device_total_outermost.ns, answer["device_total_outermost_ns"].integer());
  }
}

TEST_P(Reference, Memory) {
  if (!answers_->has("memory")) return;
  ASSERT_EQ(report().memory.size(), (*answers_)["memory"].size());
  for (const auto& [device, answer] : (*answers_)["memory"].members()) {
    const bool host = device.starts_with("CPU");
    const auto row = std::find_if(
        report().memory.begin(), report().memory.end(),
        [&](const MemoryRow& known) { return (known.type == DeviceType::kCpu) == host; });
    ASSERT_NE(row, report().memory.end()) << device;
    EXPECT_EQ(row->peak_of_running_sum_bytes, answer["peak_of_running_sum"].integer());
    EXPECT_EQ(row->peak_allocated_bytes.has_value(), !answer["peak_total_allocated"].is_null());
    if (answer["peak_total_allocated"].is_null()) continue;
    EXPECT_EQ(row->peak_allocated_bytes.value(), answer["peak_total_allocated"].integer());
    EXPECT_EQ(row->peak_reserved_bytes.value(), answer["peak_total_reserved"].integer());
    EXPECT_EQ(row->peak_at.value().ns, SinceFirst(answer["peak_at_ns"]));
  }
}

std::string NameOfTest(const testing::TestParamInfo<Answered>& param) {
  std::string name = param.param.folder;
  for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Kineto, Reference, testing::ValuesIn(OurTraces()), NameOfTest);
INSTANTIATE_TEST_SUITE_P(Acceptance, Reference, testing::ValuesIn(TracesOfOthers()), NameOfTest);

}  // namespace
}  // namespace stepscope
