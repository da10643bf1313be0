#include "read/memory_snapshot/stacks.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepscope {
namespace {

constexpr std::string_view kTorch = "/opt/lib/python3.12/site-packages/torch/nn/modules/module.py";

using Stack = std::vector<StackFrame>;

TEST(SnapshotStacks, ModulesFromTheOutsideIn) {
  const Stack stack = {{"at::empty", "??", 0},
                       {"forward", "/opt/torch/nn/modules/linear.py", 134},
                       {"_call_impl", kTorch, 1790},
                       {"_wrapped_call_impl", kTorch, 1779},
                       {"attend", "/home/somebody/model.py", 31},
                       {"forward", "/home/somebody/model.py", 40},
                       {"wrapper", "/home/somebody/tools.py", 8},
                       {"_call_impl", kTorch, 1790},
                       {"_wrapped_call_impl", kTorch, 1779},
                       {"step", "/home/somebody/train.py", 9}};
  EXPECT_EQ(ModuleIn(stack), "model.py:40 > linear.py forward");
  EXPECT_EQ(SiteIn(stack), "model.py:31 attend");
}

TEST(SnapshotStacks, OutsideOfModules) {
  EXPECT_EQ(ModuleIn(Stack{{"load", "/home/somebody/train.py", 3}}), "(outside of modules)");
  EXPECT_EQ(ModuleIn(Stack{{"at::mul", "??", 0}, {"torch::autograd::Engine::run", "??", 0}}),
            "(backward)");
  EXPECT_EQ(ModuleIn(Stack{{"adam", "/opt/torch/optim/adam.py", 791},
                           {"step", "/home/somebody/train.py", 20}}),
            "(optimizer)");
  EXPECT_EQ(ModuleIn({}), "");
  // Activations that are computed again in the backward pass belong to their module.
  EXPECT_EQ(ModuleIn(Stack{{"forward", "/x/model.py", 5},
                           {"_call_impl", kTorch, 1790},
                           {"recompute", "/opt/torch/utils/checkpoint.py", 9},
                           {"torch::autograd::Engine::run", "??", 0}}),
            "model.py forward");
}

}  // namespace
}  // namespace stepscope
