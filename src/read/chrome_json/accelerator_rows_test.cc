#include "read/chrome_json/accelerator_rows.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/testing/temp_dir.h"
#include "read/open.h"

namespace stepscope {
namespace {

std::map<std::string, Kind> KindsIn(const std::string& events, size_t* devices) {
  const TempDir folder;
  const std::string path = folder / "trace.json";
  std::ofstream(path) << R"({"traceEvents":[)" << events << "]}";
  TaskPool pool(1);
  const Result<Profile> profile = OpenProfile({path}, {}, pool);
  if (!profile) throw std::runtime_error(InEnglish(profile.error().sentence));
  const Trace& trace = profile->traces.front();
  *devices = trace.devices.size();
  std::map<std::string, Kind> kinds;
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    kinds[std::string(trace.Name(row))] = trace.slices.kind[row];
  }
  return kinds;
}

// As Ascend's profiler writes trace_view.json: times are texts of microseconds.
TEST(AcceleratorRows, Ascend) {
  size_t devices = 0;
  const std::map<std::string, Kind> kinds = KindsIn(
      R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"Python"}},)"
      R"({"ph":"M","name":"process_name","pid":2,"tid":0,"args":{"name":"CANN"}},)"
      R"({"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"Ascend Hardware"}},)"
      R"({"ph":"M","name":"thread_name","pid":3,"tid":2,"args":{"name":"Stream 2"}},)"
      R"({"ph":"M","name":"process_name","pid":4,"tid":0,"args":{"name":"Overlap Analysis"}},)"
      R"({"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"Communication"}},)"
      R"({"ph":"X","name":"aten::mm","cat":"cpu_op","pid":1,"tid":1,"ts":"1700000000000000.100","dur":50},)"
      R"({"ph":"X","name":"AscendCL@aclnnMatmul","pid":2,"tid":1,"ts":"1700000000000010.100","dur":5},)"
      R"({"ph":"X","name":"MatMulV2","pid":3,"tid":2,"ts":"1700000000000030.000","dur":40},)"
      R"({"ph":"X","name":"MEMCPY_ASYNC","pid":3,"tid":2,"ts":"1700000000000080.000","dur":4},)"
      R"({"ph":"X","name":"EVENT_WAIT","pid":3,"tid":2,"ts":"1700000000000090.000","dur":4},)"
      R"({"ph":"X","name":"Computing","pid":4,"tid":1,"ts":"1700000000000030.000","dur":40},)"
      R"({"ph":"X","name":"hcom_allReduce__1","pid":5,"tid":1,"ts":"1700000000000030.000","dur":9})",
      &devices);
  EXPECT_EQ(kinds.at("aten::mm"), Kind::kOp);
  EXPECT_EQ(kinds.at("AscendCL@aclnnMatmul"), Kind::kCall);
  EXPECT_EQ(kinds.at("MatMulV2"), Kind::kKernel);
  EXPECT_EQ(kinds.at("MEMCPY_ASYNC"), Kind::kCopy);
  EXPECT_EQ(kinds.at("EVENT_WAIT"), Kind::kSync);
  EXPECT_EQ(kinds.at("Computing"), Kind::kOther);
  EXPECT_EQ(kinds.at("hcom_allReduce__1"), Kind::kCollective);
  EXPECT_EQ(devices, 1u);
}

TEST(AcceleratorRows, Unitrace) {
  size_t devices = 0;
  const std::map<std::string, Kind> kinds = KindsIn(
      R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"HOST<node>"}},)"
      R"({"ph":"M","name":"process_name","pid":2,"args":{"name":"DEVICE<node>"}},)"
      R"({"ph":"X","name":"zeCommandListAppendLaunchKernel","cat":"cpu_op","pid":1,"tid":1,"ts":10,"dur":5},)"
      R"({"ph":"X","name":"gemm_kernel","cat":"gpu_op","pid":2,"tid":7,"ts":30,"dur":40},)"
      R"({"ph":"X","name":"zeCommandListAppendMemoryCopy","cat":"gpu_op","pid":2,"tid":7,"ts":80,"dur":4})",
      &devices);
  EXPECT_EQ(kinds.at("zeCommandListAppendLaunchKernel"), Kind::kCall);
  EXPECT_EQ(kinds.at("gemm_kernel"), Kind::kKernel);
  EXPECT_EQ(kinds.at("zeCommandListAppendMemoryCopy"), Kind::kCopy);
  EXPECT_EQ(devices, 1u);
}

}  // namespace
}  // namespace stepscope
