#include "read/xplane/xplane_reader.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "base/task_pool.h"
#include "base/testing/data.h"

namespace stepscope {
namespace {

struct Read {
  Trace trace;
  Diagnostics diagnostics;
};

Read ReadFile(const std::string& path, unsigned threads = 2) {
  TaskPool pool(threads);
  Read read;
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) throw std::runtime_error(path + ": " + InEnglish(bytes.error().sentence));
  Result<Trace> trace = ReadXPlane(*bytes, path, pool, read.diagnostics);
  EXPECT_TRUE(trace) << (trace ? "" : InEnglish(trace.error().sentence));
  if (trace) read.trace = std::move(*trace);
  return read;
}

uint64_t CountKind(const Trace& trace, Kind kind) {
  uint64_t count = 0;
  for (const Kind k : trace.slices.kind) count += k == kind;
  return count;
}

TEST(ReadXPlaneAcceptance, TensorFlowOnEightGpus) {
  const Read read = ReadFile(AcceptanceData("xprof/gpu_multi_worker_34.83.195.179_6003.xplane.pb"));
  const Trace& trace = read.trace;
  EXPECT_EQ(trace.events.in_file, 15354u + 7774u);
  EXPECT_EQ(trace.events.diagnosed, 0u);
  EXPECT_EQ(trace.events.by_plane.at("/host:CPU"), 15354u);
  EXPECT_EQ(trace.events.by_plane.at("/device:GPU:1"), 19u);
  EXPECT_EQ(trace.events.by_plane.at("/device:GPU:4"), 3875u);
  EXPECT_EQ(trace.events.by_plane.at("/device:GPU:6"), 3880u);
  EXPECT_EQ(trace.events.by_plane.size(), 9u);
  EXPECT_EQ(trace.facts.host, "34.83.195.179:6003");
  EXPECT_EQ(trace.facts.framework, "TensorFlow");
  EXPECT_EQ(trace.devices.size(), 8u);
  EXPECT_EQ(trace.devices[4].memory_bytes, 16945512448);
  EXPECT_EQ(trace.devices[4].compute_capability, "7.0");
  // Recorded work only: "TensorFlow Ops" repeats the 665 kernels of a GPU and counts as none.
  EXPECT_EQ(CountKind(trace, Kind::kKernel), 2u * 665);
  EXPECT_EQ(CountKind(trace, Kind::kCopy), 19u + 80 + 12 + 2 + 99 + 12 + 2);
  EXPECT_EQ(CountKind(trace, Kind::kDeviceOp), 2450u + 665 + 2436 + 665);
  EXPECT_EQ(CountKind(trace, Kind::kDeviceAnnotation), 2u);
}

TEST(ReadXPlaneAcceptance, JaxOnFourTpus) {
  const Read read = ReadFile(AcceptanceData("xprof/tpu_inference_2_old.xplane.pb"));
  const Trace& trace = read.trace;
  EXPECT_EQ(trace.events.by_plane.at("/host:CPU"), 19270u);
  EXPECT_EQ(trace.events.by_plane.at("/device:TPU:0"), 2317u);
  EXPECT_EQ(trace.events.by_plane.at("/device:TPU:3"), 1712u);
  EXPECT_EQ(trace.events.in_file, 19270u + 7453u);
  EXPECT_EQ(trace.facts.framework, "JAX");
  EXPECT_EQ(trace.devices.size(), 4u);
  EXPECT_EQ(trace.devices[0].name, "TPU v6 Lite");
  EXPECT_EQ(CountKind(trace, Kind::kCollective), 4u * 3);
  EXPECT_EQ(CountKind(trace, Kind::kCopy), 4u * 1200);
}

TEST(ReadXPlane, JaxOnAGpuWithACudaGraph) {
  const Read read = ReadFile(TestData("h200/jax_mlp.xplane.pb.zst"));
  const Trace& trace = read.trace;
  EXPECT_EQ(trace.events.in_file, 2636u);
  EXPECT_EQ(trace.events.diagnosed, 0u);
  EXPECT_EQ(trace.facts.framework, "JAX");
  EXPECT_EQ(trace.facts.framework_version, "0.11.2");
  EXPECT_EQ(trace.facts.host, "vm");
  EXPECT_EQ(CountKind(trace, Kind::kKernel), 352u);
  EXPECT_EQ(CountKind(trace, Kind::kCopy), 16u);
  EXPECT_EQ(CountKind(trace, Kind::kStep), 8u);
  EXPECT_EQ(trace.allocations.size(), 144u + 128 + 15);
  // The graph's kernels name the graph as their op, and five matrix products of cuBLAS and five
  // fusions share one kernel each; the module has 44 instructions to run, each once a step.
  std::map<std::string_view, int> ops;
  int64_t copied = 0;
  for (const DeviceArgs& args : trace.device_args) {
    if (args.graph_node != 0) ++ops[trace.strings[args.op]];
    if (trace.slices.kind[args.slice] == Kind::kCopy) copied += args.bytes;
  }
  EXPECT_EQ(ops.size(), 44u);
  for (const auto& [op, calls] : ops) EXPECT_EQ(calls, 8) << op;
  for (const std::string_view op : {"cublas-lt-matmul.0", "cublas-lt-matmul.4", "custom-call.1",
                                    "loop_convert_multiply_fusion", "loop_multiply_fusion"}) {
    EXPECT_TRUE(ops.contains(op)) << op;
  }
  EXPECT_EQ(copied, 16 * 16777216);
}

TEST(ReadXPlane, CountsAreThoseOfAPlainParse) {
  for (const auto& [name, events] : {std::pair{"keras_inputbound", 9905u},
                                     {"keras_inputbound_plain", 5080u},
                                     {"keras_fixed", 5641u},
                                     {"custom_compute", 6569u},
                                     {"custom_readback", 5342u},
                                     {"jax_train", 1352u},
                                     {"jax_inputbound", 4962u}}) {
    const Read read = ReadFile(TestData(std::string("tf_xplane/") + name + ".xplane.pb.zst"));
    EXPECT_EQ(read.trace.events.in_file, events) << name;
    EXPECT_EQ(read.trace.events.diagnosed, 0u) << name;
    EXPECT_EQ(read.trace.slices.size() + read.trace.allocations.size(), events) << name;
  }
}

TEST(ReadXPlaneAcceptance, ACorruptFileIsOneClearSentence) {
  const std::string path = AcceptanceData("xprof/tpu_inference_2.xplane.pb");
  TaskPool pool(1);
  Diagnostics diagnostics;
  const Result<FileBytes> bytes = ReadWhole(path);
  ASSERT_TRUE(bytes);
  const Result<Trace> trace = ReadXPlane(*bytes, path, pool, diagnostics);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kDamaged);
  EXPECT_EQ(trace.error().offset, 0u);
  EXPECT_NE(InEnglish(trace.error().sentence)
                .find("declares length 28501368332271 with 1365932 bytes left"),
            std::string::npos)
      << InEnglish(trace.error().sentence);
}

}  // namespace
}  // namespace stepscope
