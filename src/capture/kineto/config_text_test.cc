#include "capture/kineto/config_text.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

KinetoConfig Config() {
  return {.options = {},
          .duration = std::chrono::milliseconds(1000),
          .start_ms = 1790000000000,
          .file = "/dir/a.json",
          .trace_id = "id"};
}

TEST(KinetoConfigText, ADuration) {
  EXPECT_EQ(ConfigText(Config()),
            "ACTIVITIES_LOG_FILE=/dir/a.json\n"
            "PROFILE_START_TIME=1790000000000\n"
            "ACTIVITIES_DURATION_MSECS=1000\n"
            "ACTIVITIES_WARMUP_PERIOD_SECS=1\n"
            "PROFILE_REPORT_INPUT_SHAPES=true\n"
            "PROFILE_WITH_STACK=false\n"
            "REQUEST_TRACE_ID=id\n"
            "REQUEST_GROUP_TRACE_ID=id");
}

TEST(KinetoConfigText, Steps) {
  KinetoConfig config = Config();
  config.options.steps = 5;
  config.options.round_up = 100;
  EXPECT_EQ(ConfigText(config),
            "ACTIVITIES_LOG_FILE=/dir/a.json\n"
            "PROFILE_START_ITERATION=0\n"
            "PROFILE_START_ITERATION_ROUNDUP=100\n"
            "ACTIVITIES_ITERATIONS=5\n"
            "ACTIVITIES_DURATION_MSECS=1000\n"
            "ACTIVITIES_WARMUP_PERIOD_SECS=1\n"
            "PROFILE_REPORT_INPUT_SHAPES=true\n"
            "PROFILE_WITH_STACK=false\n"
            "REQUEST_TRACE_ID=id\n"
            "REQUEST_GROUP_TRACE_ID=id");
}

// A snapshot goes to Kineto's own place: PROFILE_MEMORY would override a name that came before it.
TEST(KinetoConfigText, Memory) {
  KinetoConfig config = Config();
  config.options.memory = true;
  const std::string text = ConfigText(config);
  EXPECT_TRUE(
      text.starts_with("PROFILE_PROFILE_MEMORY=true\nPROFILE_MEMORY=true\n"
                       "PROFILE_MEMORY_DURATION_MSECS=1000\n"));
  EXPECT_EQ(text.find("ACTIVITIES_LOG_FILE"), std::string::npos);
}

}  // namespace
}  // namespace stepscope
