#include "capture/serving/capture_serving.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(ServingMetrics, SumOverLabels) {
  constexpr std::string_view kMetrics =
      "# TYPE vllm:request_success_total counter\n"
      "vllm:request_success_total{finished_reason=\"stop\",model=\"a b}\"} 12.0\n"
      "vllm:request_success_total{finished_reason=\"length\"} 3\n"
      "vllm:request_success_total_created 1.7e+09\n"
      "sglang:num_requests_total 7.0\n"
      "broken{";
  EXPECT_EQ(SumOfCounter(kMetrics, "vllm:request_success_total"), 15);
  EXPECT_EQ(SumOfCounter(kMetrics, "sglang:num_requests_total"), 7);
  EXPECT_EQ(SumOfCounter(kMetrics, "none"), 0);
  EXPECT_EQ(SumOfCounter(kMetrics, "broken"), 0);
}

TEST(ServingFolder, OfTheCommandLine) {
  EXPECT_EQ(ProfilerFolderIn("vllm serve m --profiler-config "
                             R"({"profiler":"torch","torch_profiler_dir":"/a b/c"} --port 1)"),
            "/a b/c");
  EXPECT_EQ(ProfilerFolderIn(R"(--profiler-config {"torch_profiler_dir": "/x", "y": 1})"), "/x");
  EXPECT_EQ(ProfilerFolderIn("--profiler-config.torch_profiler_dir=/x --port 1"), "/x");
  EXPECT_EQ(ProfilerFolderIn("--profiler-config.torch_profiler_dir /x"), "/x");
  EXPECT_EQ(ProfilerFolderIn("vllm serve m"), "");
}

}  // namespace
}  // namespace stepscope
