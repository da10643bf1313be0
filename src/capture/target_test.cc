#include "capture/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using std::chrono::milliseconds;

TEST(CaptureTarget, HostsAndPorts) {
  const auto one = ParseCaptureTarget("localhost:9012");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->kind, TargetKind::kProfilerService);
  EXPECT_THAT(one->hosts, testing::ElementsAre(HostPort{"localhost", 9012}));
  const auto several = ParseCaptureTarget("grpc://a:1,b.example:65535,[::1]:7/");
  ASSERT_TRUE(several);
  EXPECT_THAT(several->hosts, testing::ElementsAre(HostPort{"a", 1}, HostPort{"b.example", 65535},
                                                   HostPort{"::1", 7}));
  EXPECT_EQ(several->hosts[2].text(), "[::1]:7");
  EXPECT_TRUE(several->hosts[2].is_loopback());
  EXPECT_FALSE(several->hosts[1].is_loopback());
}

TEST(CaptureTarget, Processes) {
  const auto pid = ParseCaptureTarget("pid:4242");
  ASSERT_TRUE(pid);
  EXPECT_EQ(pid->kind, TargetKind::kPyTorch);
  EXPECT_EQ(pid->pid, 4242);
  EXPECT_EQ(ParseCaptureTarget("job:llama")->job, "llama");
  const auto all = ParseCaptureTarget("all");
  EXPECT_EQ(all->kind, TargetKind::kPyTorch);
  EXPECT_EQ(all->pid, 0);
  EXPECT_EQ(all->job, "");
  const auto python = ParseCaptureTarget("python:4242");
  ASSERT_TRUE(python);
  EXPECT_EQ(python->kind, TargetKind::kPython);
  EXPECT_EQ(python->pid, 4242);
  for (const char* text : {"python:", "python:-1", "python:1x", "python:0"}) {
    EXPECT_FALSE(ParseCaptureTarget(text)) << text;
  }
}

TEST(CaptureTarget, ServingStacks) {
  EXPECT_EQ(ParseCaptureTarget("vllm://localhost:8000")->kind, TargetKind::kVllm);
  EXPECT_EQ(ParseCaptureTarget("sglang://localhost:30000/")->kind, TargetKind::kSglang);
  EXPECT_FALSE(ParseCaptureTarget("vllm://a:1,b:1"));
  EXPECT_FALSE(ParseCaptureTarget("tgi://a:1"));
}

TEST(CaptureTarget, NothingThatWouldChangeTheUrl) {
  for (const char* text : {"a@b:1", "a/b:1", "a?x:1", "a#:1", "a%20:1", "", ":", "a:", "a:70000"}) {
    const auto target = ParseCaptureTarget(text);
    ASSERT_FALSE(target) << text;
    EXPECT_EQ(target.error().code, ErrorCode::kUsage);
  }
}

TEST(CaptureDuration, Units) {
  EXPECT_EQ(ParseDuration("500ms"), milliseconds(500));
  EXPECT_EQ(ParseDuration("2s"), milliseconds(2000));
  EXPECT_EQ(ParseDuration("1.5"), milliseconds(1500));
  EXPECT_EQ(ParseDuration("10m"), milliseconds(600'000));
  EXPECT_EQ(ParseDuration("1h"), milliseconds(3'600'000));
  for (const char* text :
       {"", "s", "-1s", "0", "0.1ms", "nan", "inf", "2 s", "2d", "25h", "1e9s"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

}  // namespace
}  // namespace stepscope
