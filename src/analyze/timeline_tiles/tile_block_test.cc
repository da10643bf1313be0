#include "analyze/timeline_tiles/tile_block.h"

#include <gtest/gtest.h>

#include <cstring>

namespace stepscope {
namespace {

template <typename T>
T At(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Trace TwoDepths() {
  Trace trace;
  const StringId outer = trace.strings.Intern("outer");
  const StringId inner = trace.strings.Intern("inner");
  const auto add = [&](int64_t start, int64_t length, StringId name, uint16_t depth) {
    trace.slices.start.push_back({start});
    trace.slices.duration.push_back({length});
    trace.slices.name.push_back(name);
    trace.slices.parent.push_back(kNoSlice);
    trace.slices.args.push_back(kNoRow);
    trace.slices.event.push_back(0);
    trace.slices.depth.push_back(depth);
    trace.slices.kind.push_back(Kind::kOp);
    trace.slices.flags.push_back(0);
  };
  add(0, 1000, outer, 0);
  add(10, 3, inner, 1);
  add(20, 5, inner, 1);
  add(2000, 40, outer, 0);
  Track track;
  track.slices = {0, 4};
  trace.tracks.push_back(track);
  return trace;
}

// docs/serve.md describes these bytes; this test holds the page and the server to them.
TEST(EncodeTiles, LaysOutColumnsAsDocumented) {
  const Trace trace = TwoDepths();
  TaskPool pool(1);
  const Timeline timeline(trace, {}, pool);
  ASSERT_EQ(timeline.lines().size(), 1U);
  EXPECT_EQ(timeline.lines()[0].depths, 2U);
  const std::vector<uint32_t> lines{0};
  const std::string bytes = EncodeTiles(timeline, {lines, 5, 0, 0});
  EXPECT_EQ(At<uint32_t>(bytes, 0), 0x31545353U);
  EXPECT_EQ(At<uint32_t>(bytes, 4), 1U);   // blocks
  EXPECT_EQ(At<uint32_t>(bytes, 8), 0U);   // line
  EXPECT_EQ(At<uint32_t>(bytes, 12), 0U);  // type: spans
  EXPECT_EQ(At<int32_t>(bytes, 16), 5);
  ASSERT_EQ(At<uint32_t>(bytes, 20), 3U);  // two outer, the inner ones joined
  EXPECT_EQ(At<double>(bytes, 24), 0.0);   // tile
  const size_t start = 32, extent = start + 24, busy = extent + 24, row = busy + 16;
  const size_t count = row + 16, name = count + 16, depth = name + 16, kind = depth + 8;
  const size_t names = kind + 16;
  EXPECT_EQ(At<double>(bytes, start + 8), 2000.0);
  EXPECT_EQ(At<double>(bytes, start + 16), 10.0);
  EXPECT_EQ(At<double>(bytes, extent + 16), 15.0);
  EXPECT_FLOAT_EQ(At<float>(bytes, busy + 8), 8.0F / 15);
  EXPECT_EQ(At<uint32_t>(bytes, row + 8), 2U);  // the longer of the two
  EXPECT_EQ(At<uint32_t>(bytes, count + 8), 2U);
  EXPECT_EQ(At<uint32_t>(bytes, name + 8), 2U);
  EXPECT_EQ(At<uint16_t>(bytes, depth + 4), 1);
  EXPECT_EQ(At<uint8_t>(bytes, kind), static_cast<uint8_t>(Kind::kOp));
  EXPECT_EQ(At<uint32_t>(bytes, names), 1U);  // only "outer" is wide enough for a label
  EXPECT_EQ(At<uint32_t>(bytes, names + 4), 1U);
  EXPECT_EQ(At<uint32_t>(bytes, names + 8), 5U);
  EXPECT_EQ(bytes.substr(names + 12), "outer");
}

}  // namespace
}  // namespace stepscope
