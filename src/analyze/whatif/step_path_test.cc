#include "analyze/whatif/step_path.h"

#include <gtest/gtest.h>

#include "trace/testing/trace_text.h"

namespace stepscope {
namespace {

struct Path {
  explicit Path(const char* text) : trace(TraceText(text)), linked(LinkTrace(trace, {}, pool)) {
    path = AnalyzeCriticalPath(linked, 0);
  }
  // "name from..to", one after the other.
  std::string Said() const {
    std::string said;
    for (const CriticalSpan& span : path.spans) {
      const std::string name =
          span.slice == kNoSlice ? "-" : std::string(trace.Name(Index(span.slice)));
      said += (said.empty() ? "" : " ") + name + " " + std::to_string(span.start.ns) + ".." +
              std::to_string(span.end.ns);
    }
    return said;
  }
  TaskPool pool{1};
  Trace trace;
  LinkedTrace linked;
  CriticalPath path;
};

// The host launches from 10 to 14, the kernel runs from 20 to 60 and the host waits for it till 62.
TEST(AnalyzeCriticalPath, GoesOverToTheDeviceThatTheHostWaitsFor) {
  const Path found(R"(
    main   step:ProfilerStep#1 0..100000   aten::mm 0..20000   launch#1 10000..14000   sync#8 30000..62000
    gpu:0  gemm#1 20000..60000
  )");
  ASSERT_EQ(found.path.step, 0U);
  DurationNs all = found.path.host + found.path.device + found.path.delay;
  EXPECT_EQ(all.ns, found.linked.steps.items[0].duration.ns) << found.Said();
  EXPECT_EQ(found.path.device.ns, 40'000) << found.Said();
  EXPECT_EQ(found.path.delay.ns, 6'000) << "from the end of the launch: " << found.Said();
}

TEST(AnalyzeCriticalPath, CoversTheStepWithoutHolesOrOverlap) {
  const Path found(R"(
    main   step:ProfilerStep#1 0..100000   aten::mm 0..20000   launch#1 10000..14000   aten::add 30000..90000
    gpu:0  gemm#1 20000..60000
  )");
  ASSERT_FALSE(found.path.spans.empty());
  const Step& step = found.linked.steps.items[0];
  TimeNs at = step.start;
  for (const CriticalSpan& span : found.path.spans) {
    EXPECT_EQ(span.start, at) << found.Said();
    at = span.end;
  }
  EXPECT_EQ(at, step.end());
  EXPECT_EQ(found.path.device.ns, 0) << "nobody waits for it: " << found.Said();
}

TEST(AnalyzeCriticalPath, WithoutStepsThereIsNone) {
  const Path found("main aten::mm 0..20000");
  EXPECT_EQ(found.path.step, kNoRow);
  EXPECT_TRUE(found.path.spans.empty());
}

}  // namespace
}  // namespace stepscope
