// The same trace, whatever the number of threads and however the file was cut into blocks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "trace/testing/trace_text.h"
#include "trace/trace_builder.h"

namespace stepscope {
namespace {

// Everything that a thread or a block border could change.
std::string Dump(const Trace& trace, const Diagnostics& diagnostics) {
  std::string text;
  for (const Track& track : trace.tracks) {
    text += fmt::format("track {} {} lane {} device {} rows {}..{}\n",
                        trace.processes[Index(track.process)].key, track.key, track.lane,
                        track.device, track.slices.first, track.slices.last);
  }
  const Slices& s = trace.slices;
  for (uint32_t row = 0; row < s.size(); ++row) {
    text += fmt::format("{} {} {} in {} depth {} event {} kind {} args {}\n", trace.Name(row),
                        s.start[row].ns, s.duration[row].ns, Index(s.parent[row]), s.depth[row],
                        s.event[row], NameOf(s.kind[row]), s.args[row]);
  }
  for (const DeviceArgs& args : trace.device_args) {
    text += fmt::format("device {} {} slice {}\n", args.correlation, args.stream, args.slice);
  }
  for (const Allocation& a : trace.allocations) {
    text += fmt::format("memory {} at {} event {}\n", a.bytes, a.time.ns, a.event);
  }
  text += fmt::format("overlapping {} strings {} span {}",
                      diagnostics.CountOf(Diagnostic::kOverlappingSlices), trace.strings.size(),
                      trace.span.ns);
  return text;
}

std::string Build(const std::vector<std::vector<std::string>>& blocks, unsigned threads) {
  TraceBuilder builder;
  for (const auto& lines : blocks) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    builder.Append(TraceTextBlock(text));
  }
  TaskPool pool(threads);
  Diagnostics diagnostics;
  const Trace trace = std::move(builder).Build({}, {}, {}, {}, pool, diagnostics);
  return Dump(trace, diagnostics);
}

std::string SomeLine() {
  const auto start = *rc::gen::inRange(0, 200);
  const auto length = *rc::gen::inRange(0, 40);
  const auto number = *rc::gen::inRange(1, 9);
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return fmt::format("main op:f{} {}..{}", number, start, start + length);
    case 1:
      return fmt::format("thread:{} launch#{} {}..{}", number + 1, number, start, start + length);
    case 2:
      return fmt::format("gpu:0/{} k{}#{} {}..{}", number % 3, number, number, start,
                         start + length);
    default:
      return fmt::format("memory gpu:0 +{}@{}", number, start);
  }
}

TEST(TraceBuilder, GivesTheSameTraceAtAnyNumberOfThreadsAndBlocks) {
  EXPECT_TRUE(rc::check([] {
    std::vector<std::vector<std::string>> blocks(1);
    std::vector<std::string> all;
    const auto count = *rc::gen::inRange(0, 60);
    for (int i = 0; i < count; ++i) {
      if (*rc::gen::inRange(0, 6) == 0) blocks.emplace_back();
      blocks.back().push_back(SomeLine());
      all.push_back(blocks.back().back());
    }
    const std::string one = Build({all}, 1);
    RC_ASSERT(Build(blocks, 1) == one);
    RC_ASSERT(Build(blocks, 2) == one);
    RC_ASSERT(Build(blocks, 7) == one);
  }));
}

}  // namespace
}  // namespace stepscope
