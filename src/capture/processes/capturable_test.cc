#include "capture/processes/capturable.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

ProcessFacts Process(int pid, std::string command) {
  return {.pid = pid, .command = std::move(command), .readable = true};
}

TEST(Capturable, WhatEachProcessLacks) {
  ProcessFacts polls = Process(10, "python train.py");
  polls.torch = true;
  polls.variables["KINETO_USE_DAEMON"] = "1";
  ProcessFacts plain = Process(11, "python other.py");
  plain.torch = true;
  ProcessFacts contained = polls;
  contained.pid = 12;
  contained.other_network = true;
  ProcessFacts served = Process(13, "python jax_train.py");
  served.jax = true;
  ProcessFacts bare = Process(14, "python tf_train.py");
  bare.tensorflow = true;
  ProcessFacts vllm = Process(15, "vllm serve m");
  vllm.torch = true;
  ProcessFacts sglang = Process(16, "python -m sglang.launch_server");
  ProcessFacts hidden = Process(17, "python secret.py");
  hidden.readable = false;
  const CapturableList list = ListCapturable(
      {polls, plain, contained, served, bare, vllm, sglang, hidden, Process(18, "bash")},
      {{9000, 14}, {9012, 13}, {8000, 15}, {30000, 16}, {22, 18}}, {9012});
  ASSERT_EQ(list.processes.size(), 7);
  EXPECT_EQ(list.hidden, 1);
  const auto& found = list.processes;
  EXPECT_EQ(found[0].target, "pid:10");
  EXPECT_EQ(found[1].target, "");
  EXPECT_EQ(InEnglish(found[1].missing), "KINETO_USE_DAEMON is not set");
  EXPECT_EQ(InEnglish(found[2].missing), "it lives in a container with a network of its own");
  EXPECT_EQ(found[3].target, "localhost:9012");
  EXPECT_EQ(found[3].framework, "JAX");
  EXPECT_EQ(InEnglish(found[4].missing), "it has no profiler server");
  EXPECT_EQ(found[5].framework, "vLLM");
  EXPECT_EQ(InEnglish(found[5].missing), "its profiler is not enabled");
  EXPECT_EQ(found[6].target, "sglang://localhost:30000");
}

TEST(Capturable, WhatStepscopeStarted) {
  ProcessFacts torch = Process(10, "python train.py");
  torch.torch = true;
  torch.variables["STEPSCOPE_RECORD_DIR"] = "run";
  ProcessFacts polls = torch;
  polls.pid = 11;
  polls.variables["KINETO_USE_DAEMON"] = "1";
  ProcessFacts jax = Process(12, "python jax_train.py");
  jax.jax = true;
  jax.variables = torch.variables;
  const CapturableList list = ListCapturable({torch, polls, jax}, {}, {});
  ASSERT_EQ(list.processes.size(), 3);
  EXPECT_EQ(list.processes[0].target, "python:10");
  EXPECT_EQ(list.processes[1].target, "pid:11");
  EXPECT_EQ(list.processes[2].target, "python:12");
}

}  // namespace
}  // namespace stepscope
