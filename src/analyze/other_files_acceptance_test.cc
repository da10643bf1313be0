// Files of other projects (nsys, perfetto, rocprof). The numbers of nsys exports were counted with
// sqlite3 in the tables themselves.
#include <gtest/gtest.h>

#include <map>

#include "analyze/testing/real_trace.h"
#include "base/intervals.h"

namespace stepscope {
namespace {

struct Totals {
  int64_t count = 0;
  int64_t ns = 0;
  int64_t bytes = 0;
};

std::map<int32_t, Totals> TotalsOf(const Trace& trace, Kind kind, std::string_view prefix = {}) {
  std::map<int32_t, Totals> totals;
  for (const DeviceArgs& args : trace.device_args) {
    const bool collective =
        kind == Kind::kKernel && trace.slices.kind[args.slice] == Kind::kCollective;
    if (trace.slices.kind[args.slice] != kind && !collective) continue;
    if (!trace.Name(args.slice).starts_with(prefix)) continue;
    Totals& of = totals[args.device];
    ++of.count;
    of.ns += trace.slices.duration[args.slice].ns;
    of.bytes += args.bytes;
  }
  return totals;
}

int64_t BusyOf(const Trace& trace, int32_t device) {
  std::vector<Interval> busy;
  for (const DeviceArgs& args : trace.device_args) {
    if (args.device == device && IsDeviceWork(trace.slices.kind[args.slice])) {
      busy.push_back({trace.slices.start[args.slice], trace.slices.end(args.slice)});
    }
  }
  return IntervalSet::Of(std::move(busy)).length().ns;
}

int64_t EventsIn(const Trace& trace, const std::string& table) {
  const auto at = trace.events.by_plane.find(table);
  return at == trace.events.by_plane.end() ? 0 : static_cast<int64_t>(at->second);
}

TEST(NsysAcceptance, TwoH100s) {
  const RealReport real = ReportOf(AcceptanceData("nsys/nsys-ai_h100_2gpu_1s.schema3.25.sqlite"));
  const Trace& trace = real.trace();
  const auto kernels = TotalsOf(trace, Kind::kKernel);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels.at(0).count, 1721);
  EXPECT_EQ(kernels.at(1).count, 1721);
  EXPECT_EQ(kernels.at(0).ns, 22'385'163);
  EXPECT_EQ(kernels.at(1).ns, 22'444'359);
  const auto copies = TotalsOf(trace, Kind::kCopy, "Memcpy HtoD");
  for (const int32_t gpu : {0, 1}) {
    EXPECT_EQ(copies.at(gpu).count, 225);
    EXPECT_EQ(copies.at(gpu).bytes, 25'475'253'792);
  }
  EXPECT_EQ(BusyOf(trace, 0), 962'890'247);
  EXPECT_EQ(BusyOf(trace, 1), 962'810'705);
  EXPECT_EQ(EventsIn(trace, "NVTX_EVENTS"), 16'782);
  int64_t full = 0, count = 0;
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    if (trace.Name(row) != "Command Buffer Full") continue;
    full += trace.slices.duration[row].ns;
    ++count;
  }
  EXPECT_EQ(count, 198);
  EXPECT_EQ(full, 911'969'806);
  const Links& links = real.linked.links;
  int64_t linked = 0;
  for (uint32_t r = 0; r < trace.device_args.size(); ++r) {
    const Kind kind = trace.slices.kind[trace.device_args[r].slice];
    const bool kernel = kind == Kind::kKernel || kind == Kind::kCollective;
    linked += kernel && links.launch_of[r] != kNoSlice ? 1 : 0;
  }
  EXPECT_EQ(linked, 1632);
  EXPECT_EQ(trace.facts.framework, "PyTorch");
  EXPECT_EQ(trace.events.in_file, trace.events.stored() + trace.events.diagnosed);
}

TEST(NsysAcceptance, EverySchemaIsRead) {
  struct Case {
    const char* file;
    const char* schema;
    int64_t kernels;
    int64_t copies;
    int64_t calls;
    int64_t osrt;
  };
  for (const Case& one : {Case{"nsys-ai_mock.schema3.24.sqlite", "3.24.14", 2, 1, 9, 0},
                          Case{"pipit_saxpy_mpi.schema2.9.sqlite", "2.9.1", 5, 15, 95, 0},
                          Case{"python_c_nvidia_cpuonly.schema3.6.sqlite", "3.6.0", 0, 0, 0, 9401},
                          Case{"test-cuda_async.schema3.24.sqlite", "3.24.14", 4, 12, 44, 906}}) {
    const RealReport real = ReportOf(AcceptanceData(std::string("nsys/") + one.file));
    const Trace& trace = real.trace();
    EXPECT_EQ(trace.facts.notes.at("nsys_schema_version").substr(0, 3),
              std::string(one.schema).substr(0, 3))
        << one.file;
    EXPECT_EQ(EventsIn(trace, "CUPTI_ACTIVITY_KIND_KERNEL"), one.kernels) << one.file;
    EXPECT_EQ(EventsIn(trace, "CUPTI_ACTIVITY_KIND_MEMCPY"), one.copies) << one.file;
    EXPECT_EQ(EventsIn(trace, "CUPTI_ACTIVITY_KIND_RUNTIME"), one.calls) << one.file;
    EXPECT_EQ(EventsIn(trace, "OSRT_API"), one.osrt) << one.file;
    for (const auto& [gpu, totals] : TotalsOf(trace, Kind::kKernel)) {
      EXPECT_EQ(totals.count, one.kernels) << one.file;
    }
  }
}

TEST(PerfettoAcceptance, GpuTracesOfPerfettosOwnTests) {
  struct Case {
    const char* file;
    uint32_t slices;
    const char* name;
    int64_t duration;
  };
  // Slices and durations as trace_processor's diff tests expect them.
  for (const Case& one :
       {Case{"gpu_compute_kernel", 3, "matMul(float*, float*, float*, int, int)", 100},
        Case{"gpu_compute_launch", 1, "vectorAdd(float*, float*, float*, int)", 50},
        Case{"gpu_api_slice", 2, "cuLaunchKernel", 100},
        Case{"gpu_render_stages_flow", 4, "HostSubmit", 2},
        Case{"flow_events_track_event", 8, "FlowSlice1Start", 10000}}) {
    const RealReport real =
        ReportOf(AcceptanceData(std::string("perfetto/") + one.file + ".pftrace"));
    const Trace& trace = real.trace();
    EXPECT_EQ(trace.slices.size(), one.slices) << one.file;
    bool found = false;
    for (uint32_t row = 0; row < trace.slices.size(); ++row) {
      if (trace.Name(row) != one.name) continue;
      found = true;
      EXPECT_EQ(trace.slices.duration[row].ns, one.duration) << one.file;
    }
    EXPECT_TRUE(found) << one.file;
  }
}

TEST(RocprofAcceptance, AllDispatchesOfAnMi350x) {
  const RealReport real = ReportOf(AcceptanceData("rocprof/tracelens_908_results.json.gz"));
  const auto kernels = TotalsOf(real.trace(), Kind::kKernel);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels.at(0).count, 43'915);
  EXPECT_EQ(kernels.at(0).ns, 4'441'741'378);
  ASSERT_EQ(real.trace().devices.size(), 1u);
  EXPECT_EQ(real.trace().devices[0].name, "AMD Instinct MI350X");
  EXPECT_EQ(real.trace().events.diagnosed, 0u);
}

TEST(PerfettoAcceptance, Counters) {
  const RealReport real = ReportOf(AcceptanceData("perfetto/track_event_counters.pftrace"));
  std::map<std::string, std::vector<double>> values;
  for (const CounterSample& sample : real.trace().counters) {
    values[std::string(real.Name(sample.name))].push_back(sample.value);
  }
  // In multiples of 1000 and as increments: 1000 + 10 …, begun anew with the second descriptor.
  EXPECT_EQ(values.at("thread time"),
            (std::vector<double>{1e6, 1.01e6, 2e6, 2.01e6, 2.02e6, 2.03e6, 2.04e6}));
  EXPECT_EQ(values.at("MySizeCounter"), (std::vector<double>{1024, 2048, 1024, 4096}));
  ASSERT_EQ(values.at("MyDoubleCounter").size(), 3u);
  EXPECT_DOUBLE_EQ(values.at("MyDoubleCounter")[1], 0.5);
}

}  // namespace
}  // namespace stepscope
