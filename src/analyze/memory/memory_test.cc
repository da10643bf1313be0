#include "analyze/memory/memory.h"

#include <gtest/gtest.h>

#include "analyze/testing/analyzed.h"

namespace stepscope {
namespace {

Allocation At(int64_t time, int64_t bytes, uint64_t address, int64_t total = -1) {
  Allocation event;
  event.time.ns = time;
  event.bytes = bytes;
  event.address = address;
  event.total_allocated = total;
  event.track = TrackId{0};
  return event;
}

Trace ThreeSteps() {
  return TraceText(R"(
    main    step:ProfilerStep#1 0..100   step:ProfilerStep#2 100..200   step:ProfilerStep#3 200..300
    main    aten::keep 10..20   aten::keep 110..120   aten::keep 210..220
    main    aten::scratch 30..40   aten::scratch 130..140   aten::scratch 230..240
  )");
}

TEST(Memory, PeakGrowthAndWhoHoldsIt) {
  Trace trace = ThreeSteps();
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = step * 100;
    const auto base = static_cast<uint64_t>(step + 1) * 1000;
    trace.allocations.push_back(At(at + 15, 64, base, 1000 + 64 * (step + 1)));
    trace.allocations.push_back(At(at + 35, 500, 7, 1500 + 64 * (step + 1)));
    trace.allocations.push_back(At(at + 50, -500, 7, 1000 + 64 * (step + 1)));
  }
  const Analyzed a = AnalyzeDrawn(std::move(trace));
  ASSERT_EQ(a.report.memory.size(), 1u);
  const MemoryRow& row = a.report.memory[0];
  EXPECT_EQ(row.peak_allocated_bytes.value(), 1692);
  EXPECT_EQ(row.peak_of_running_sum_bytes, 692);
  EXPECT_EQ(row.peak_at.value().ns, 235);
  EXPECT_EQ(row.end_allocated_bytes.value(), 1192);
  EXPECT_EQ(row.growth_bytes_per_step.value(), 64);
  ASSERT_EQ(row.top_ops.size(), 2u);
  EXPECT_EQ(a.trace.strings[row.top_ops[0].op], "aten::scratch");
  EXPECT_EQ(row.top_ops[0].bytes, 500);
  EXPECT_EQ(a.trace.strings[row.top_ops[1].op], "aten::keep");
  EXPECT_EQ(row.top_ops[1].bytes, 192);
}

TEST(Memory, AllocatorsOfADeviceAddUp) {
  // One holds 100 before the profile, the other 40; they never peak together.
  Trace trace = ThreeSteps();
  const StringId cpu = trace.strings.Intern("cpu");
  const StringId pinned = trace.strings.Intern("gpu_host_bfc");
  trace.traits.resize(trace.strings.size());
  const auto from = [](StringId allocator, Allocation event) {
    event.device_type = DeviceType::kCpu;
    event.allocator = allocator;
    return event;
  };
  trace.allocations = {from(cpu, At(10, 60, 1, 160)), from(cpu, At(20, -60, 1, 100)),
                       from(pinned, At(30, 30, 2, 70)), from(cpu, At(40, 20, 3, 120))};
  const Analyzed a = AnalyzeDrawn(std::move(trace));
  const MemoryRow& row = a.report.memory.at(0);
  EXPECT_EQ(row.peak_allocated_bytes.value(), 160 + 40);
  EXPECT_EQ(row.peak_at.value().ns, 10);
  EXPECT_EQ(row.end_allocated_bytes.value(), 120 + 70);
  ASSERT_EQ(row.allocators.size(), 2u);
  EXPECT_EQ(a.trace.strings[row.allocators[0].name], "cpu");
  EXPECT_EQ(row.allocators[0].peak_allocated_bytes, 160);
  EXPECT_EQ(row.allocators[0].allocations, 2u);
  EXPECT_EQ(row.allocators[1].peak_allocated_bytes, 70);
  EXPECT_EQ(row.allocators[1].peak_of_running_sum_bytes, 30);
}

TEST(Memory, WithoutTheAllocatorsFiguresTheyAreUnknown) {
  Trace trace = ThreeSteps();
  trace.allocations = {At(15, 64, 1), At(20, -64, 1)};
  const Analyzed a = AnalyzeDrawn(std::move(trace));
  const MemoryRow& row = a.report.memory[0];
  EXPECT_FALSE(row.peak_allocated_bytes.has_value());
  EXPECT_FALSE(row.peak_reserved_bytes.has_value());
  EXPECT_EQ(row.peak_of_running_sum_bytes, 64);
  EXPECT_EQ(row.growth_bytes_per_step.value(), 0);
}

TEST(Memory, OneStepSaysNothingAboutGrowth) {
  Trace trace = TraceText("main    step:ProfilerStep#1 0..100");
  trace.allocations = {At(10, 512, 1)};
  const Analyzed a = AnalyzeDrawn(std::move(trace));
  EXPECT_FALSE(a.report.memory[0].growth_bytes_per_step.has_value());
}

TEST(Memory, WithoutAddressesNobodyKnowsWhoHoldsIt) {
  Trace trace = ThreeSteps();
  trace.allocations = {At(15, 64, 0), At(35, 500, 0), At(50, -500, 0)};
  const Analyzed a = AnalyzeDrawn(std::move(trace));
  const MemoryRow& row = a.report.memory[0];
  EXPECT_EQ(row.peak_of_running_sum_bytes, 564);
  EXPECT_TRUE(row.top_ops.empty());
  EXPECT_FALSE(row.growth_bytes_per_step.has_value());
}

}  // namespace
}  // namespace stepscope
