#include "read/rocprof/rocprof_json.h"

#include <gtest/gtest.h>

#include "read/open.h"

namespace stepscope {
namespace {

// One GPU, a HIP call that launches a kernel, a copy, a roctx range, a record without times.
const char* const kSmall = R"({"rocprofiler-sdk-tool":[{
"metadata":{"pid":9,"command":["/home/somebody/train.py"],"node":{"hostname":"secret"}},
"agents":[{"id":{"handle":1},"type":1,"logical_node_type_id":0,"product_name":"EPYC"},
 {"id":{"handle":2},"type":2,"logical_node_type_id":0,"cu_count":256,"product_name":"AMD Instinct MI350X"}],
"kernel_symbols":[{"kernel_id":8,"kernel_name":"gemm.kd","formatted_kernel_name":"gemm"}],
"strings":{"buffer_records":[{"kind":"NONE","operations":[]},{"kind":"HIP_RUNTIME_API","operations":["none","hipLaunchKernel"]},
 {"kind":"MARKER_CORE_API","operations":["roctxRangePush"]}],"marker_api":[{"key":7,"value":"step 1"}]},
"buffer_records":{
"kernel_dispatch":[{"kind":11,"operation":2,"thread_id":9,"correlation_id":{"internal":5,"external":0},
 "start_timestamp":2000,"end_timestamp":2840,"dispatch_info":{"agent_id":{"handle":2},"queue_id":{"handle":16},"kernel_id":8,
 "group_segment_size":64,"workgroup_size":{"x":256,"y":1,"z":1},"grid_size":{"x":1000,"y":2,"z":1}},"stream_id":{"handle":3}}],
"hip_api":[{"kind":1,"operation":1,"thread_id":10,"correlation_id":{"internal":5,"external":0},"start_timestamp":1000,"end_timestamp":1100}],
"memory_copy":[{"kind":10,"operation":1,"thread_id":10,"correlation_id":{"internal":6},"start_timestamp":1500,"end_timestamp":1600,
 "dst_agent_id":{"handle":2},"src_agent_id":{"handle":1},"bytes":4096}],
"marker_api":[{"kind":2,"operation":0,"thread_id":10,"correlation_id":{"internal":7},"start_timestamp":900,"end_timestamp":3000}],
"scratch_memory":[{"kind":12,"thread_id":10}]}}]})";

Result<Trace> Read(std::string_view text, Diagnostics& diagnostics) {
  TaskPool pool(1);
  return ReadRocprofJson(text, "t.json", pool, diagnostics);
}

TEST(RocprofJson, DispatchesCopiesCallsAndRanges) {
  EXPECT_EQ(FileTypeOf(kSmall), FileType::kRocprofJson);
  Diagnostics diagnostics;
  const Result<Trace> trace = Read(kSmall, diagnostics);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->slices.size(), 4u);
  EXPECT_EQ(trace->events.in_file, 5u);
  EXPECT_EQ(trace->events.diagnosed, 1u);
  for (uint32_t row = 0; row < trace->slices.size(); ++row) {
    const std::string_view name = trace->Name(row);
    if (name == "gemm") {
      EXPECT_EQ(trace->slices.duration[row].ns, 840);
      EXPECT_EQ(trace->DeviceOf(row).grid[0], 4u);  // 1000 work-items in blocks of 256
      EXPECT_EQ(trace->DeviceOf(row).grid[1], 2u);
      EXPECT_EQ(trace->DeviceOf(row).correlation, 5u);
      EXPECT_EQ(trace->DeviceOf(row).stream, 3);
    } else if (name == "Memcpy HtoD") {
      EXPECT_EQ(trace->DeviceOf(row).bytes, 4096);
    } else if (name == "hipLaunchKernel") {
      EXPECT_EQ(trace->call_args[trace->slices.args[row]].correlation, 5u);
    } else {
      EXPECT_EQ(name, "step 1");
      EXPECT_EQ(trace->slices.kind[row], Kind::kAnnotation);
    }
  }
  ASSERT_EQ(trace->devices.size(), 1u);
  EXPECT_EQ(trace->devices[0].name, "AMD Instinct MI350X");
}

TEST(RocprofJson, ACutFileIsAnErrorOrAPart) {
  const std::string_view text = kSmall;
  for (size_t size = 0; size < text.size(); ++size) {
    Diagnostics diagnostics;
    const Result<Trace> trace = Read(text.substr(0, size), diagnostics);
    EXPECT_TRUE(trace || !trace.error().sentence.empty());
  }
}

}  // namespace
}  // namespace stepscope
