#include "read/chrome_json/event_parser.h"

#include <gmock/gmock.h>

#include <string>

#include "read/chrome_json/scan.h"

namespace stepscope::chrome_json {
namespace {

// Parses the inside of an event list with either instruction set, which must agree.
class Events {
 public:
  explicit Events(const std::string& text, uint64_t offset = 0) : text_(text) {
    text_.append(kPadding, '"');
    const std::span<const char> inside(text_.data(), text.size());
    ParseEvents(inside, offset, BestInstructionSet(), chunk_);
    ParsedChunk portable;
    ParseEvents(inside, offset, InstructionSet::kPortable, portable);
    EXPECT_EQ(chunk_.block.event_count, portable.block.event_count);
    EXPECT_EQ(chunk_.block.diagnosed, portable.block.diagnosed);
    EXPECT_EQ(chunk_.consumed, portable.consumed);
    EXPECT_EQ(chunk_.end, portable.end);
    EXPECT_EQ(chunk_.block.start, portable.block.start);
    EXPECT_EQ(chunk_.block.duration, portable.block.duration);
    EXPECT_EQ(chunk_.block.name, portable.block.name);
    EXPECT_EQ(chunk_.block.kind, portable.block.kind);
    EXPECT_EQ(chunk_.block.track, portable.block.track);
  }
  const ParsedChunk& chunk() const { return chunk_; }
  const EventBlock& block() const { return chunk_.block; }
  std::string Name(size_t row) const {
    return std::string(chunk_.block.strings[chunk_.block.name[row]]);
  }

 private:
  std::string text_;
  ParsedChunk chunk_;
};

TEST(EventParser, ReadsAKinetoOp) {
  const Events events(R"(
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 423, "tid": 470,
    "ts": 3868176185940.197, "dur": 220.909,
    "args": {
      "External id": 1537,"Record function id": 0, "Sequence number": 704, "Fwd thread id": 1, "Input Dims": [[64, 1024], [1024, 8]], "Input type": ["float", "float"], "Ev Idx": 0
    }
  },)");
  ASSERT_EQ(events.block().start.size(), 1U);
  EXPECT_EQ(events.block().start[0], 3868176185940197);
  EXPECT_EQ(events.block().duration[0], 220909);
  EXPECT_EQ(events.Name(0), "aten::mm");
  EXPECT_EQ(events.block().kind[0], Kind::kOp);
  ASSERT_EQ(events.block().op_args.size(), 1U);
  const OpArgs& args = events.block().op_args[0];
  EXPECT_EQ(args.external_id, 1537U);
  EXPECT_EQ(args.sequence, 704);
  EXPECT_EQ(args.forward_thread, 1);
  EXPECT_EQ(events.block().strings[args.input_dims], "[[64,1024],[1024,8]]");
  EXPECT_EQ(events.block().strings[args.input_types], R"(["float","float"])");
  const auto& track = events.block().tracks[events.block().track[0]];
  EXPECT_EQ(track.process.number, 423);
  EXPECT_EQ(track.thread.number, 470);
  EXPECT_EQ(events.chunk().end, ChunkEnd::kBetweenEvents);
}

TEST(EventParser, ReadsAKernel) {
  const Events events(
      R"({"ph": "X", "cat": "kernel", "name": "gemm<\"a\\b\u00e9\ud83d\ude00>", "pid": 1, "tid": 7,
    "ts": 5, "dur": 2, "args": {"External id": 9, "queued": 0, "device": 1, "context": 1, "stream": 7,
    "correlation": 33, "registers per thread": 168, "shared memory": 164308, "blocks per SM": 0.484848,
    "warps per SM": 5.8, "grid": [4, 16, 1], "block": [384, 1, 1], "est. achieved occupancy %": 31,
    "graph node id": 12}})");
  ASSERT_EQ(events.block().device_args.size(), 1U);
  const DeviceArgs& args = events.block().device_args[0];
  EXPECT_EQ(events.Name(0), "gemm<\"a\\b\u00e9\U0001F600>");
  EXPECT_EQ(args.correlation, 33U);
  EXPECT_EQ(args.external_id, 9U);
  EXPECT_EQ(args.device, 1);
  EXPECT_EQ(args.stream, 7);
  EXPECT_EQ(args.registers, 168);
  EXPECT_EQ(args.shared_memory, 164308U);
  EXPECT_THAT(args.grid, ::testing::ElementsAre(4, 16, 1));
  EXPECT_THAT(args.block, ::testing::ElementsAre(384, 1, 1));
  EXPECT_FLOAT_EQ(args.blocks_per_sm, 0.484848F);
  EXPECT_FLOAT_EQ(args.occupancy_percent, 31);
  EXPECT_EQ(args.graph_node, 12U);
  EXPECT_EQ(events.block().tracks[0].kind, TrackKind::kStream);
}

}  // namespace
}  // namespace stepscope::chrome_json
