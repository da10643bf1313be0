#include "read/xplane/host_names.h"

#include <gtest/gtest.h>

namespace stepscope::xplane {
namespace {

TEST(ClassifyHostName, KnowsTheVocabularyOfTensorFlowAndJax) {
  EXPECT_EQ(ClassifyHostName("StatefulPartitionedCall/sequential_1/dense_1/MatMul:MatMul").kind,
            Kind::kOp);
  EXPECT_EQ(ClassifyHostName("EagerPyFunc:EagerPyFunc").kind, Kind::kOp);
  EXPECT_EQ(ClassifyHostName("_send_cond_17/then/_256/cond_17:_Send").kind, Kind::kOp);
  EXPECT_EQ(ClassifyHostName("EagerLocalExecute: Mul").kind, Kind::kOp);
  EXPECT_EQ(ClassifyHostName("EagerLocalExecute: __inference_step_271").kind, Kind::kOther);
  EXPECT_EQ(ClassifyHostName("PjitFunction(step)").kind, Kind::kAnnotation);
  EXPECT_EQ(ClassifyHostName("Iterator::Root::Prefetch").kind, Kind::kInput);
  EXPECT_EQ(ClassifyHostName("IteratorGetNextOp::DoCompute").kind, Kind::kInput);
  EXPECT_EQ(ClassifyHostName("IteratorGetNext:IteratorGetNext").kind, Kind::kInput);
  EXPECT_EQ(ClassifyHostName("fifo_queue_Dequeue:QueueDequeueV2").kind, Kind::kInput);
  EXPECT_EQ(ClassifyHostName("$train.py:12 step").kind, Kind::kPythonFrame);
  EXPECT_EQ(ClassifyHostName("$builtins isinstance").kind, Kind::kPythonFrame);
  EXPECT_EQ(ClassifyHostName("backend_compile_and_load").kind, Kind::kCompile);
  EXPECT_EQ(ClassifyHostName("TfrtTpuCompiler::Compile").kind, Kind::kCompile);
  EXPECT_EQ(ClassifyHostName("CommonPjRtBuffer::Await").kind, Kind::kSync);
  EXPECT_EQ(ClassifyHostName("MemoryAllocation").kind, Kind::kAllocation);
  EXPECT_EQ(ClassifyHostName("ThreadpoolListener::Record").stats, kNoStats);
  EXPECT_EQ(ClassifyHostName("[0] GpuExecutable::ExecuteThunks").kind, Kind::kOther);
  EXPECT_EQ(ClassifyHostName("jit_step:XLA GPU module").kind, Kind::kOther);
}

TEST(ClassifyHostName, NamesOfTheUserMayBeAnnotations) {
  EXPECT_TRUE(ClassifyHostName("load_batch").maybe_annotation);
  EXPECT_TRUE(ClassifyHostName("Profiled batch").maybe_annotation);
  EXPECT_FALSE(ClassifyHostName("KernelAndDeviceFunc::Run").maybe_annotation);
  EXPECT_FALSE(ClassifyHostName("ParseArguments").maybe_annotation);
}

TEST(IsTensorFlowOp, NeedsANodeAndAType) {
  EXPECT_TRUE(IsTensorFlowOp("MatMul:_MklMatMul"));
  EXPECT_TRUE(IsTensorFlowOp("a/b.c-d:MatMul"));
  EXPECT_FALSE(IsTensorFlowOp("MatMul"));
  EXPECT_FALSE(IsTensorFlowOp("MatMul:"));
  EXPECT_FALSE(IsTensorFlowOp(":MatMul"));
  EXPECT_FALSE(IsTensorFlowOp("jit_step:XLA GPU module"));
  EXPECT_FALSE(IsTensorFlowOp("tpu::System::Execute"));
}

}  // namespace
}  // namespace stepscope::xplane
