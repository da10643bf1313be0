#include "analyze/launches/queue_depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

using testing::ElementsAre;

// Three launches before the first kernel starts; then one kernel after the other.
TEST(QueueDepthsOf, CountsWhatIsLaunchedAndNotStarted) {
  const Trace trace = TraceText(R"(
    main   launch#1 0..2   launch#2 10..12   launch#3 20..22
    gpu:0  a#1 30..40      b#2 40..50        c#3 50..60
  )");
  TaskPool pool(1);
  const std::vector<QueueDepth> all = QueueDepthsOf(trace, FindLinks(trace, pool), 100);
  ASSERT_EQ(all.size(), 1U);
  std::vector<int64_t> times;
  for (const TimeNs time : all[0].time) times.push_back(time.ns);
  EXPECT_THAT(times, ElementsAre(0, 10, 20, 30, 40, 50));
  EXPECT_THAT(all[0].depth, ElementsAre(1, 2, 3, 2, 1, 0));
}

TEST(QueueDepthsOf, KeepsTheLargestOfEachBucket) {
  const Trace trace = TraceText(R"(
    main   launch#1 0..2   launch#2 10..12   launch#3 20..22
    gpu:0  a#1 30..40      b#2 40..50        c#3 50..60
  )");
  TaskPool pool(1);
  const std::vector<QueueDepth> all = QueueDepthsOf(trace, FindLinks(trace, pool), 2);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].depth, ElementsAre(3, 2));
}

}  // namespace
}  // namespace stepscope
