#include <gtest/gtest.h>

#include "advise/testing/drawn.h"

// Rules on drawn steps of 1 ms (unless they say otherwise): one that fires it, and a near miss.
namespace stepscope {
namespace {

struct Case {
  std::string rule;
  Drawn fires;
  Drawn near_miss;  // the same but for one thing
};

// The device computes all the time but where a line says otherwise.
const std::string kBusy = "gpu:0 gemm#1 10..990\n";

// Twelve ops that record a gradient.
std::string Differentiated() {
  std::string ops;
  for (int i = 0; i < 12; ++i) {
    ops += fmt::format("op:aten::mul {}..{} seq={}  ", 10 + 20 * i, 25 + 20 * i, i + 1);
  }
  return ops;
}

std::vector<Case> HostCases() {
  return {
      // 200 of 1,000 µs are the profiler's own; the limit is 10 %.
      {"profile-overhead-distorts",
       {"main launch#1 0..5  overhead:Buffer Request 100..300\n" + kBusy},
       {"main launch#1 0..5  overhead:Buffer Request 100..150\n" + kBusy}},
      // After the call returns at 500 the device idles until 710: 21 %; 4 µs are below 1 %.
      {"blocking-sync-calls",
       {"main launch#1 0..5  sync 20..500  launch#2 700..705\n"
        "gpu:0 gemm#1 10..490  gemm#2 710..990\n"},
       {"main launch#1 0..5  sync 20..500  launch#2 501..503\n"
        "gpu:0 gemm#1 10..490  gemm#2 504..990\n"}},
      // The collector runs 2 ms of a 10 ms step while the device idles; 0.5 ms is nothing unusual.
      {"python-gc-pause",
       {.lines = "main launch#1 0..5  other:Python GC 1000..3000  launch#2 3000..3005\n"
                 "gpu:0 gemm#1 10..1000  gemm#2 3010..9990\n",
        .period = 10'000},
       {.lines = "main launch#1 0..5  other:Python GC 1000..1500  launch#2 1500..1505\n"
                 "gpu:0 gemm#1 10..1000  gemm#2 1510..9990\n",
        .period = 10'000}},
      // The queue is full for 200 of 1000 µs; 40 µs are below 5 %.
      {"launch-queue-full",
       {"main launch#1 0..5  other:Command Buffer Full 100..300\n" + kBusy},
       {"main launch#1 0..5  other:Command Buffer Full 100..140\n" + kBusy}},
      // 200 µs of saving with an idle device; under a kernel it costs nothing.
      {"checkpoint-stall",
       {"main launch#1 0..5  other:torch.save 100..300  launch#2 300..305\n"
        "gpu:0 gemm#1 10..100  gemm#2 310..990\n"},
       {"main launch#1 0..5  other:torch.save 100..300\n" + kBusy}},
      // 300 µs of Python while the device idles: 30 %; 13 µs are 1.3 %, the limit is 3 %.
      {"gpu-idle-gap-attribution",
       {"main launch#1 0..5  py:train.py(1): loop 100..400  launch#2 402..405\n"
        "gpu:0 gemm#1 10..100  gemm#2 410..990\n"},
       {"main launch#1 0..5  py:train.py(1): loop 100..110  launch#2 110..112\n"
        "gpu:0 gemm#1 5..100  gemm#2 113..1000\n"}},
      {"pyfunc-in-step",
       {.lines = "main launch#1 0..5  op:PyFunc 100..300  launch#2 300..305\n"
                 "gpu:0 gemm#1 10..100  gemm#2 310..990\n",
        .framework = "TensorFlow"},
       {.lines = "main launch#1 0..5  op:PyFunc 100..300\n" + kBusy, .framework = "TensorFlow"}},
      // The same call, made by the input pipeline.
      {"python-in-input",
       {.lines = "main launch#1 0..5  input:Iterator::Root::Map 90..310  op:PyFunc 100..300  "
                 "launch#2 312..315\n"
                 "gpu:0 gemm#1 10..100  gemm#2 320..990\n",
        .framework = "TensorFlow"},
       {.lines = "main launch#1 0..5  input:Iterator::Root::Map 90..310  op:PyFunc 100..120  "
                 "launch#2 312..315\n"
                 "gpu:0 gemm#1 10..100  gemm#2 320..990\n",
        .framework = "TensorFlow"}},
      {"jpeg-decode-crop-unfused",
       {.lines = "main launch#1 0..5  input:Iterator::Root::Map 90..310  op:DecodeJpeg 100..280  "
                 "op:Slice 285..290  "
                 "launch#2 312..315\ngpu:0 gemm#1 10..100  gemm#2 320..990\n",
        .framework = "TensorFlow"},
       {.lines = "main launch#1 0..5  input:Iterator::Root::Map 90..310  op:DecodeAndCropJpeg "
                 "100..280  op:Slice "
                 "285..290  launch#2 312..315\ngpu:0 gemm#1 10..100  gemm#2 320..990\n",
        .framework = "TensorFlow"}},
      // 200 µs in two calls to the driver while the device idles; 2 µs are below 1 %.
      {"allocator-retry-steady",
       {"main launch#1 0..5  call:cudaMalloc 100..200  call:cudaMalloc 200..300  launch#2 "
        "300..305\n"
        "gpu:0 gemm#1 10..100  gemm#2 310..990\n"},
       {"main launch#1 0..5  call:cudaMalloc 100..101  call:cudaMalloc 102..103  launch#2 "
        "104..105\n"
        "gpu:0 gemm#1 10..100  gemm#2 108..990\n"}},
      {"dynamic-shape-recompile",
       {"main launch#1 0..5  compile:inductor compile 100..200  launch#2 200..205\n"
        "gpu:0 gemm#1 10..100  gemm#2 210..990\n"},
       {"main launch#1 0..5  compile:inductor compile 100..105  launch#2 105..107\n"
        "gpu:0 gemm#1 10..100  gemm#2 110..990\n"}},
      // Compiling takes 2 ms before four steps of 1 ms: a third; 0.5 ms is a ninth, the limit a
      // fifth.
      {"compile-time-dominates-startup",
       {.lines = "main launch#1 0..5\n" + kBusy,
        .once = "thread:9 compile:torch.compile 0..1500000"},
       {.lines = "main launch#1 0..5\n" + kBusy,
        .once = "thread:9 compile:torch.compile 0..500000"}},
      {"ort-no-iobinding",
       {.lines = "main op:Conv 0..700  op:MemcpyFromHost 700..900\n", .framework = "ONNX Runtime"},
       {.lines = "main op:Conv 0..700  op:MemcpyFromHost 700..720\n", .framework = "ONNX Runtime"}},
      {"rnn-unfused-cell",
       {"main op:aten::lstm_cell 0..60  op:aten::lstm_cell 100..160  op:aten::lstm_cell 200..260  "
        "op:aten::lstm_cell "
        "300..360  op:aten::lstm_cell 400..460  op:aten::lstm_cell 500..560  op:aten::lstm_cell "
        "600..660  "
        "op:aten::lstm_cell 700..760\n"},
       {"main op:aten::lstm_cell 0..60  op:aten::lstm_cell 100..160  op:aten::lstm_cell 200..260  "
        "op:aten::lstm_cell "
        "300..360  op:aten::lstm_cell 400..460  op:aten::lstm_cell 500..560  op:aten::lstm_cell "
        "600..660\n"}},
      // Two devices; a distributed model is another thing.
      {"parallel-wrapper-costly",
       {"main launch#1 0..5  op:DataParallel.forward 100..300  launch#2 300..305\n"
        "gpu:0 gemm#1 10..100  gemm#2 310..990\ngpu:1 gemm#3 400..900\n"},
       {"main launch#1 0..5  op:DistributedDataParallel.forward 100..300  launch#2 300..305\n"
        "gpu:0 gemm#1 10..100  gemm#2 310..990\ngpu:1 gemm#3 400..900\n"}},
  };
}

std::vector<Case> DeviceCases() {
  return {
      {"h2d-pageable",
       {"main launch#1 0..5  cudaMemcpyAsync#2 10..20\n"
        "gpu:0 Memcpy HtoD (Pageable -> Device)#2 30..300 bytes=8000000  gemm#1 300..990\n"},
       {"main launch#1 0..5  cudaMemcpyAsync#2 10..20\n"
        "gpu:0 Memcpy HtoD (Pinned -> Device)#2 30..300 bytes=8000000  gemm#1 300..990\n"}},
      // A megabyte goes to the host and comes back; four bytes are a value that is read.
      {"cpu-op-between-gpu-ops",
       {"main launch#1 0..5  cudaMemcpyAsync#2 6..8  cudaMemcpyAsync#3 500..505  launch#4 "
        "510..512\n"
        "gpu:0 gemm#1 10..300  Memcpy DtoH (Device -> Pageable)#2 300..350 bytes=1000000  Memcpy "
        "HtoD (Pageable -> "
        "Device)#3 600..650 bytes=1000000  gemm#4 650..990\n"},
       {"main launch#1 0..5  cudaMemcpyAsync#2 6..8  cudaMemcpyAsync#3 500..505  launch#4 "
        "510..512\n"
        "gpu:0 gemm#1 10..300  Memcpy DtoH (Device -> Pageable)#2 300..350 bytes=4  Memcpy HtoD "
        "(Pageable -> "
        "Device)#3 600..650 bytes=4  gemm#4 650..990\n"}},
      {"conv-layout-nonpreferred",
       {"main op:aten::cudnn_convolution 0..20  launch#1 2..4  launch#2 6..8\n"
        "gpu:0 nchwToNhwcKernel#1 10..110  cudnn_conv_sm90#2 110..990\n"},
       {"main op:aten::cudnn_convolution 0..20  launch#1 2..4  launch#2 6..8\n"
        "gpu:0 nchwToNhwcKernel#1 10..20  cudnn_conv_sm90#2 20..990\n"}},
      {"attention-unfused",
       {"main op:aten::bmm 0..10  launch#1 1..3  op:aten::_softmax 20..30  launch#2 21..23  "
        "op:aten::bmm 40..50  "
        "launch#3 41..43\ngpu:0 gemm#1 60..260  softmax_warp_forward#2 260..660  gemm#3 "
        "660..960\n"},
       {"main op:aten::bmm 0..10  launch#1 1..3  op:aten::relu 20..30  launch#2 21..23  "
        "op:aten::bmm 40..50  "
        "launch#3 41..43\ngpu:0 gemm#1 60..260  relu_kernel#2 260..660  gemm#3 660..960\n"}},
      // Four kernels of 10 µs for one parameter; a foreach optimizer needs one for all.
      {"optimizer-not-fused",
       {"main launch#1 0..5  op:torch::autograd::AccumulateGrad 100..120  "
        "op:torch::autograd::AccumulateGrad 101..119  "
        "anno:Optimizer.step#SGD.step 500..900  launch#2 510..515  launch#3 520..525  launch#4 "
        "530..535  launch#5 "
        "540..545\ngpu:0 gemm#1 10..500  add_kernel#2 600..610  mul_kernel#3 610..620  "
        "div_kernel#4 620..630  "
        "sqrt_kernel#5 630..640\n"},
       {"main launch#1 0..5  op:torch::autograd::AccumulateGrad 100..120  "
        "op:torch::autograd::AccumulateGrad 101..119  "
        "anno:Optimizer.step#SGD.step 500..900  launch#2 510..515\ngpu:0 gemm#1 10..500  "
        "multi_tensor_apply_kernel#2 600..640\n"}},
      // Half a block for each multiprocessor leaves every second one idle.
      {"low-sm-efficiency",
       {"main launch#1 0..5\ngpu:0 reduce_kernel#1 10..510 blocks=0.5\n"},
       {"main launch#1 0..5\ngpu:0 reduce_kernel#1 10..510 blocks=2\n"}},
      {"dtype-cast-churn",
       {"main launch#1 0..5  op:aten::_to_copy 10..30  launch#2 12..15\n"
        "gpu:0 gemm#1 20..700  copy_kernel#2 700..800\n"},
       {"main launch#1 0..5  op:aten::_to_copy 10..30  launch#2 12..15\n"
        "gpu:0 gemm#1 20..700  copy_kernel#2 700..720\n"}},
      {"preprocessing-on-gpu",
       {"main launch#1 0..5  op:aten::upsample_bilinear2d 10..30  launch#2 12..15\n"
        "gpu:0 gemm#1 20..700  upsample_kernel#2 700..800\n"},
       {"main launch#1 0..5  op:aten::upsample_bilinear2d 10..30  launch#2 12..15\n"
        "gpu:0 gemm#1 20..700  upsample_kernel#2 700..720\n"}},
      // 64 MiB more in each step of a device with 16 GiB; freed in the step it is no growth.
      {"memory-growing",
       {"main launch#1 0..5\n" + kBusy + "memory gpu:0 +67108864@100\n"},
       {"main launch#1 0..5\n" + kBusy + "memory gpu:0 +67108864@100 -67108864@200\n"}},
      // Lints.
      {"tensor-created-on-host",
       {"main launch#1 0..5  op:aten::fill_ 10..30  op:aten::to 40..90  cudaMemcpyAsync#2 50..80  "
        "launch#3 95..98\n"
        "gpu:0 gemm#1 8..12  Memcpy HtoD (Pageable -> Device)#2 82..90 bytes=4096  gemm#3 "
        "100..990\n"},
       {"main launch#1 0..5  op:aten::add 10..30  op:aten::to 40..90  cudaMemcpyAsync#2 50..80  "
        "launch#3 95..98\n"
        "gpu:0 gemm#1 8..12  Memcpy HtoD (Pageable -> Device)#2 82..90 bytes=4096  gemm#3 "
        "100..990\n"}},
      {"conv-autotune",
       {"main launch#1 0..5  op:cudnnFindConvolution 100..200  launch#2 200..205\n"
        "gpu:0 gemm#1 10..100  gemm#2 210..990\n"},
       {"main launch#1 0..5  op:cudnnFindConvolution 100..105  launch#2 106..107\n"
        "gpu:0 gemm#1 10..100  gemm#2 110..990\n"}},
      {"gather-scatter-bound",
       {"main launch#1 0..5\ngpu:0 index_elementwise_kernel#1 10..510\n"},
       {"main launch#1 0..5\ngpu:0 index_elementwise_kernel#1 10..210\n"}},
      {"grad-mode-in-inference",
       {"main launch#1 0..5  " + Differentiated() + "\n" + kBusy},
       {"main launch#1 0..5  " + Differentiated() + "  op:MulBackward0 700..760 seq=7\n" + kBusy}},
      {"conv-bias-before-bn",
       {"main op:aten::conv2d 0..100  op:aten::add_ 20..90  launch#1 5..10  op:aten::batch_norm "
        "110..200  "
        "op:aten::native_batch_norm 120..180\n" +
        kBusy},
       {"main op:aten::conv2d 0..100  launch#1 5..10  op:aten::batch_norm 110..200  "
        "op:aten::native_batch_norm "
        "120..180\n" +
        kBusy}},
      {"zero-grad-to-zero",
       {"main launch#1 0..5  anno:Optimizer.zero_grad#SGD.zero_grad 100..200  op:aten::zero_ "
        "110..150\n" +
        kBusy},
       {"main launch#1 0..5  anno:Optimizer.zero_grad#SGD.zero_grad 100..200  op:aten::zero_ "
        "210..250\n" +
        kBusy}},
      {"tf-outside-compilation",
       {.lines = "main launch#1 0..5  op:outside_compilation 100..200\n" + kBusy,
        .framework = "TensorFlow"},
       {.lines = "main launch#1 0..5  op:outside_compilation 100..120\n" + kBusy,
        .framework = "TensorFlow"}},
  };
}

class DrawnRule : public testing::TestWithParam<Case> {};

TEST_P(DrawnRule, FiresAndNearlyDoes) {
  const Case& drawn = GetParam();
  EXPECT_TRUE(Fired(AdviceOnDrawn(drawn.fires), drawn.rule));
  const Advice near_miss = AdviceOnDrawn(drawn.near_miss);
  EXPECT_FALSE(Fired(near_miss, drawn.rule));
  EXPECT_EQ(CannotTellOf(near_miss, drawn.rule), nullptr);
}

std::string NameOfCase(const testing::TestParamInfo<Case>& one) {
  std::string name = one.param.rule;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Host, DrawnRule, testing::ValuesIn(HostCases()), NameOfCase);
INSTANTIATE_TEST_SUITE_P(Device, DrawnRule, testing::ValuesIn(DeviceCases()), NameOfCase);

}  // namespace
}  // namespace stepscope
