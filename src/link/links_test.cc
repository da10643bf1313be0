#include "link/links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

Links LinksOf(const Trace& trace) {
  TaskPool pool(1);
  return FindLinks(trace, pool);
}

uint32_t DeviceRow(const Trace& trace, std::string_view kernel, uint32_t nth = 0) {
  return trace.slices.args[SliceNamed(trace, kernel, nth)];
}

std::string NameOf(const Trace& trace, SliceId slice) {
  return slice == kNoSlice ? "" : std::string(trace.Name(Index(slice)));
}

TEST(FindLinks, JoinsLaunchAndKernelByCorrelation) {
  const Trace trace = TraceText(R"(
    main   aten::linear 0..50  aten::mm 10..30  launch#1 12..14  aten::relu 60..70
    main   cudaLaunchKernelExC#7 62..63
    gpu:0  gemm#1 20..40  relu#7 64..70  orphan#9 70..80
  )");
  const Links links = LinksOf(trace);
  EXPECT_EQ(links.device_events, 3U);
  EXPECT_EQ(links.linked_by_correlation, 2U);
  EXPECT_EQ(NameOf(trace, links.op_of[DeviceRow(trace, "gemm")]), "aten::mm") << "the innermost op";
  EXPECT_EQ(NameOf(trace, links.launch_of[DeviceRow(trace, "relu")]), "cudaLaunchKernelExC");
  EXPECT_EQ(NameOf(trace, links.op_of[DeviceRow(trace, "relu")]), "aten::relu");
  EXPECT_EQ(links.method_of[DeviceRow(trace, "orphan")], LinkMethod::kNone);
}

TEST(FindLinks, FindsCorrelationsFarApart) {
  const Trace trace = TraceText(R"(
    main   launch#1 0..1  launch#900000000000 2..3
    gpu:0  a#1 10..20  b#900000000000 20..30  c#5 30..40
  )");
  EXPECT_EQ(LinksOf(trace).linked_by_correlation, 2U);
}

TEST(FindLinks, AGraphLaunchOwnsAllItsKernels) {
  const Trace trace = TraceText(R"(
    main     launch#1 0..1  cudaGraphLaunch#2 2..6
    gpu:0    x#2 20..25 graph=4  solo#1 5..9
    gpu:0/8  y#2 18..30 graph=5  z#2 40..50 graph=6
  )");
  const Links links = LinksOf(trace);
  ASSERT_EQ(links.calls.size(), 2U);
  EXPECT_EQ(NameOf(trace, links.calls[1]), "cudaGraphLaunch");
  std::vector<std::string> names;
  for (uint32_t i = links.first[1]; i < links.first[2]; ++i) {
    names.emplace_back(trace.Name(trace.device_args[links.device_rows[i]].slice));
  }
  EXPECT_THAT(names, testing::ElementsAre("y", "x", "z")) << "by start, over all streams";
}

TEST(FindLinks, OpsOnExtraLanesOwnCallsToo) {
  // second overlaps first, so it is on a lane of its own; at 12 only second runs.
  const Trace trace = TraceText(R"(
    main   first 0..10  second 5..20  launch#1 12..13  launch#2 7..8
    gpu:0  a#1 30..31  b#2 31..32
  )");
  const Links links = LinksOf(trace);
  EXPECT_EQ(NameOf(trace, links.op_of[DeviceRow(trace, "a")]), "second");
  EXPECT_EQ(NameOf(trace, links.op_of[DeviceRow(trace, "b")]), "second") << "it began last";
}

TEST(FindLinks, FlowsAndExternalIdsHelpWhereCorrelationsMiss) {
  const Trace trace = TraceText(R"(
    main   aten::mm 0..10 ext=11  call:cudaLaunchKernel 2..4  aten::add 10..20 ext=12
    gpu:0  a 20..30  b 30..40 ext=12
    flow   ac2g#5 main@2 gpu:0@20
  )");
  const Links links = LinksOf(trace);
  EXPECT_EQ(links.linked_by_correlation, 0U) << "the contract counts correlations only";
  EXPECT_EQ(links.method_of[DeviceRow(trace, "a")], LinkMethod::kFlow);
  EXPECT_EQ(NameOf(trace, links.launch_of[DeviceRow(trace, "a")]), "cudaLaunchKernel");
  EXPECT_EQ(NameOf(trace, links.op_of[DeviceRow(trace, "a")]), "aten::mm");
  EXPECT_EQ(links.method_of[DeviceRow(trace, "b")], LinkMethod::kExternalId);
  EXPECT_EQ(NameOf(trace, links.op_of[DeviceRow(trace, "b")]), "aten::add");
}

TEST(FindLinks, PairsForwardWithBackwardBySequenceNumber) {
  const Trace trace = TraceText(R"(
    main      aten::linear 0..20 seq=5  aten::addmm 2..10 seq=5  aten::relu 20..30 seq=6
    thread:2  autograd::engine::evaluate_function: AddmmBackward0 40..60 seq=5 fwd=1
    thread:2  AddmmBackward0 42..58 seq=5 fwd=1
  )");
  const Links links = LinksOf(trace);
  ASSERT_EQ(links.forward_backward.size(), 1U);
  EXPECT_EQ(NameOf(trace, links.forward_backward[0].first), "aten::addmm");
  EXPECT_EQ(NameOf(trace, links.forward_backward[0].second),
            "autograd::engine::evaluate_function: AddmmBackward0");
}

TEST(FindLinks, PairsForwardWithBackwardByFlow) {
  const Trace trace = TraceText(R"(
    main      aten::mm 0..20
    thread:2  MmBackward0 40..60
    flow      fwdbwd#1 main@0 thread:2@40
  )");
  const Links links = LinksOf(trace);
  ASSERT_EQ(links.forward_backward.size(), 1U);
  EXPECT_EQ(NameOf(trace, links.forward_backward[0].first), "aten::mm");
}

TEST(InnermostAt, LooksOnAllLanesAndOnlyForTheKindsWanted) {
  const Trace trace = TraceText("main  op:a 0..10  op:b 5..20  launch#1 12..14  py:f 0..100");
  const auto is_op = [](Kind kind) { return kind == Kind::kOp; };
  EXPECT_EQ(NameOf(trace, InnermostAt(trace, TrackId{0}, {13}, is_op)), "b");
  EXPECT_EQ(NameOf(trace, InnermostAt(trace, TrackId{0}, {3}, is_op)), "a");
  EXPECT_EQ(NameOf(trace, InnermostAt(trace, TrackId{0}, {10}, is_op)), "b");
  EXPECT_EQ(InnermostAt(trace, TrackId{0}, {20}, is_op), kNoSlice) << "half open";
}

}  // namespace
}  // namespace stepscope
