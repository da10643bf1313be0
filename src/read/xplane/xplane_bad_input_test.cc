#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/testing/data.h"
#include "read/xplane/testing/space_writer.h"
#include "read/xplane/xplane_reader.h"

namespace stepscope {
namespace {

using namespace xplane;

struct Outcome {
  Result<Trace> trace;
  Diagnostics diagnostics;
};

Outcome ReadBytes(const std::string& bytes) {
  TaskPool pool(1);
  Diagnostics diagnostics;
  const FileBytes file({bytes.data(), bytes.size()}, nullptr, std::nullopt);
  Result<Trace> trace = ReadXPlane(file, "t.xplane.pb", pool, diagnostics);
  return {std::move(trace), std::move(diagnostics)};
}

// A host thread with a step, an op and an allocation, and a GPU stream with a kernel and a copy.
std::string SmallSpace() {
  PlaneWriter host("/host:CPU");
  host.Line(1, "python3", 1000)
      .Event("train", 0, 9'000'000, {{"step_num", 7}, {"_r", 1}})
      .Event("dense/MatMul:MatMul", 1'000'000, 2'000'000)
      .Event("cuLaunchKernel", 1'100'000, 100'000, {{"correlation_id", 3}})
      .Event("MemoryAllocation", 1'200'000, 0,
             {{"allocator_name", "GPU_0_bfc"}, {"allocation_bytes", 512}, {"addr", 4096}});
  PlaneWriter gpu("/device:GPU:0");
  gpu.Stat({"core_count", 132}).Stat({"gpu_device_name", "NVIDIA H200"});
  gpu.Line(14, "Stream #14(Compute)", 1000)
      .Event("sgemm", 2'000'000, 3'000'500,
             {{"correlation_id", 3}, {"kernel_details", "regs:32 grid:264,1,1 block:128,1,1"}})
      .Event("MemcpyH2D", 6'000'000, 400,
             {{"memcpy_details", "kind_src:pinned kind_dst:device size:112 dest:0 async:1"}});
  PlaneWriter environment("Task Environment");
  environment.Stat({"profile_start_time", int64_t{1'794'729'993'973'411'726}});
  return SpaceOf({host.Finish(), gpu.Finish(), environment.Finish()});
}

bool Conserves(const Trace& trace) {
  return trace.events.in_file == trace.events.diagnosed + trace.slices.size() +
                                     trace.allocations.size() + trace.counters.size();
}

TEST(XPlaneBadInput, TheSmallSpaceIsSound) {
  const Outcome out = ReadBytes(SmallSpace());
  ASSERT_TRUE(out.trace);
  const Trace& trace = *out.trace;
  EXPECT_EQ(trace.events.in_file, 6u);
  EXPECT_EQ(trace.events.diagnosed, 0u);
  EXPECT_TRUE(out.diagnostics.entries().empty());
  EXPECT_TRUE(Conserves(trace));
  EXPECT_EQ(trace.facts.start_unix_ns, 1'794'729'993'973'411'726 + 1000);
  ASSERT_EQ(trace.device_args.size(), 2u);
  EXPECT_EQ(trace.device_args[0].correlation, 3u);
  EXPECT_FLOAT_EQ(trace.device_args[0].blocks_per_sm, 2);
  EXPECT_EQ(trace.device_args[1].bytes, 112);
  EXPECT_EQ(trace.allocations.at(0).bytes, 512);
  EXPECT_EQ(trace.allocations.at(0).device_type, DeviceType::kGpu);
}

TEST(XPlaneBadInput, CutsAtEveryByte) {
  const std::string whole = SmallSpace();
  uint64_t before = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const Outcome out = ReadBytes(whole.substr(0, size));
    if (!out.trace) {
      EXPECT_FALSE(out.trace.error().sentence.empty());
      continue;
    }
    EXPECT_TRUE(Conserves(*out.trace)) << "cut at " << size;
    EXPECT_GE(out.trace->events.in_file, before) << "cut at " << size;  // never less than before
    before = out.trace->events.in_file;
  }
  EXPECT_EQ(before, 6u);
}

TEST(XPlaneBadInput, ElevenByteVarintsAndLengthsPastTheEnd) {
  const std::string eleven(11, '\xff');
  EXPECT_FALSE(ReadBytes(eleven).trace);
  EXPECT_FALSE(ReadBytes("\x0a" + eleven).trace);
  const std::string past = "\x0a\x7f\x12\x09/host:CPU";
  EXPECT_FALSE(ReadBytes(past).trace);
  // A fault inside one plane leaves the others alone.
  std::string broken_plane;
  WireWriter(broken_plane).Bytes(plane_field::kName, "/host:CPU");
  broken_plane += "\x1a\xff\xff\xff\xff\x0f";
  PlaneWriter good("/device:GPU:0");
  good.Line(1, "Stream #1", 0).Event("sgemm", 0, 1000);
  const Outcome out = ReadBytes(SpaceOf({broken_plane, good.Finish()}));
  ASSERT_TRUE(out.trace);
  EXPECT_EQ(out.trace->events.in_file, 1u);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kMalformedProtobuf), 1u);
}

TEST(XPlaneBadInput, DamagedEventsAreCounted) {
  std::string line;
  WireWriter w(line);
  w.Signed(line_field::kId, 1);
  w.Bytes(line_field::kEvents, "\x08\x01\x10\x05\x18\x02");              // good
  w.Bytes(line_field::kEvents, "\x08\x01\x10\xff\xff");                  // offset cut
  w.Bytes(line_field::kEvents, "\x08\x01\x28\x05");                      // occurrences, no time
  w.Bytes(line_field::kEvents, std::string("\x08\x01\x10\x05\x0b", 5));  // a group
  std::string plane;
  WireWriter(plane).Bytes(plane_field::kName, "/host:CPU");
  WireWriter(plane).Bytes(plane_field::kLines, line);
  const Outcome out = ReadBytes(SpaceOf({plane}));
  ASSERT_TRUE(out.trace);
  EXPECT_EQ(out.trace->events.in_file, 4u);
  EXPECT_EQ(out.trace->events.diagnosed, 3u);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kMalformedEvent), 2u);
  EXPECT_EQ(out.diagnostics.CountOf(Diagnostic::kEventWithoutTime), 1u);
  EXPECT_EQ(out.trace->Name(0), "event 1");  // no metadata says what it is
}

// Spans are put into the trace's columns as they are read; these files do not let them stay there.
TEST(XPlaneBadInput, LinesOutOfOrderWithOneIdAndWithGaps) {
  PlaneWriter host("/host:CPU");
  host.Line(1, "python3", 0).Event("c", 5'000'000, 1'000'000).Event("a", 1'000'000, 2'000'000);
  host.Line(2, "other", 0).Event("x", 0, 9'000'000).Event("y", 1'000'000, 9'000'000);
  host.Line(1, "python3", 0).Event("b", 1'500'000, 1'000'000);
  const Outcome out = ReadBytes(SpaceOf({host.Finish()}));
  ASSERT_TRUE(out.trace);
  const Trace& trace = *out.trace;
  EXPECT_TRUE(Conserves(trace));
  ASSERT_EQ(trace.tracks.size(), 3u);  // "x" and "y" overlap: two lanes
  std::vector<std::string_view> names;
  for (uint32_t row = 0; row < trace.slices.size(); ++row) names.push_back(trace.Name(row));
  EXPECT_EQ(names, (std::vector<std::string_view>{"a", "b", "c", "x", "y"}));
  EXPECT_EQ(trace.slices.parent[1], SliceId{0});
  EXPECT_EQ(trace.slices.event, (std::vector<uint32_t>{1, 4, 0, 2, 3}));
}

TEST(XPlaneBadInput, AnEventWithTwoIds) {
  // The first says an allocation, the second (which counts) a span.
  PlaneWriter host("/host:CPU");
  host.Line(1, "python3", 0)
      .Event("MemoryAllocation", 0, 0, {{"allocation_bytes", 512}})
      .Event("a", 1'000'000, 1'000'000);
  std::string plane = host.Finish();
  std::string line;
  WireWriter w(line);
  w.Signed(line_field::kId, 3);
  w.Bytes(line_field::kEvents, std::string("\x08\x01\x08\x02\x10\x05\x18\x02", 8));
  w.Bytes(line_field::kEvents, std::string("\x08\x02\x10\x05\x18\x02", 6));
  WireWriter(plane).Bytes(plane_field::kLines, line);
  const Outcome out = ReadBytes(SpaceOf({plane}));
  ASSERT_TRUE(out.trace);
  EXPECT_EQ(out.trace->events.in_file, 4u);
  EXPECT_TRUE(Conserves(*out.trace));
}

TEST(XPlaneBadInput, ARunMetadataIsToldApart) {
  // step_stats { dev_stats { device: "/job:localhost/…" node_stats { node_name: "a" } } }
  std::string node, device, stats, run;
  WireWriter(node).Bytes(1, "a");
  WireWriter(device).Bytes(1, "/job:localhost/replica:0/task:0/device:CPU:0");
  WireWriter(device).Bytes(2, node);
  WireWriter(stats).Bytes(1, device);
  WireWriter(run).Bytes(1, stats);
  const Outcome out = ReadBytes(run);
  ASSERT_FALSE(out.trace);
  EXPECT_NE(InEnglish(out.trace.error().sentence).find("TensorFlow RunMetadata"), std::string::npos)
      << InEnglish(out.trace.error().sentence);
}

TEST(XPlaneBadInput, AThousandMutationsOfRealProfiles) {
  std::mt19937 random(20261115);
  for (const std::string name :
       {"h200/jax_mlp.xplane.pb.zst", "tf_xplane/keras_fixed.xplane.pb.zst"}) {
    const Result<FileBytes> file = ReadWhole(TestData(name));
    ASSERT_TRUE(file);
    const std::string whole(file->bytes().data(), file->bytes().size());
    for (int round = 0; round < 500; ++round) {
      std::string bytes = whole;
      if (round % 5 == 0) bytes.resize(random() % bytes.size());
      for (uint32_t i = 0; i < 1 + random() % 8 && !bytes.empty(); ++i) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      const Outcome out = ReadBytes(bytes);
      if (out.trace) {
        EXPECT_TRUE(Conserves(*out.trace)) << name << " round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace stepscope
