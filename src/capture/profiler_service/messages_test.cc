#include "capture/profiler_service/messages.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

using namespace std::string_view_literals;

// Bytes by hand from profiler_service.proto and profiler_options.proto: tag = number << 3 | type.
TEST(ProfilerServiceMessages, ProfileRequestByteForByte) {
  const std::string request =
      EncodeProfileRequest({.duration = std::chrono::milliseconds(500),
                            .levels = {.host = 3, .device = 0, .python = true},
                            .start_ns = 0,
                            .session_id = "id",
                            .host_name = "h:1",
                            .repository_root = "/r"});
  EXPECT_EQ(request,
            "\x08\xF4\x03"      // duration_ms = 500
            "\x10\xC0\x84\x3D"  // max_events = 1,000,000
            "\x22\x0F"          // opts, 15 bytes
            "\x08\x01"          //   include_dataset_ops
            "\x10\x03"          //   host_tracer_level
            "\x18\x00"          //   device_tracer_level
            "\x20\x01"          //   python_tracer_level
            "\x28\x01"          //   version
            "\x38\x01"          //   enable_hlo_proto
            "\x48\xF4\x03"      //   duration_ms
            "\x2A\x02/r"        // repository_root
            "\x32\x02id"        // session_id
            "\x3A\x03h:1"       // host_name
            "\x48\x01"sv);      // emit_xspace
}

TEST(ProfilerServiceMessages, ACommonStart) {
  const std::string request = EncodeProfileRequest({.start_ns = 300});
  EXPECT_NE(request.find("\x38\x01\x40\xAC\x02\x48\xD0\x0F"sv), std::string::npos);
}

TEST(ProfilerServiceMessages, TerminateAndMonitor) {
  EXPECT_EQ(EncodeTerminateRequest("abc"),
            "\x0A\x03"
            "abc"sv);
  EXPECT_EQ(EncodeMonitorRequest(std::chrono::milliseconds(1000)), "\x08\xE8\x07\x10\x02"sv);
}

TEST(ProfilerServiceMessages, MonitorAnswer) {
  // data = "up", result{device_idle 50.0, step_time_ms_avg 2.0}; 50.0 = 0x4049…, 2.0 = 0x4000….
  const MonitorAnswer answer =
      DecodeMonitorAnswer("\x0A\x02up\x52\x12\x11\0\0\0\0\0\0\x49\x40\x21\0\0\0\0\0\0\0\x40"sv);
  EXPECT_EQ(answer.text, "up");
  EXPECT_EQ(answer.device_idle_percent, 50.0);
  EXPECT_EQ(answer.step_ms, 2.0);
  EXPECT_FALSE(answer.matrix_unit_percent);
  EXPECT_EQ(DecodeMonitorAnswer("\xFF\xFF").text, "");
}

}  // namespace
}  // namespace stepscope
