#include "capture/kineto/datagram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// A poll of process 4242 whose parent is 4200, written down from Kineto's own structs.
const std::string kPoll =
    "\x18\0\0\0\0\0\0\0"
    "req\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\x02\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\x92\x10\0\0\x68\x10\0\0"s;

TEST(KinetoDatagram, APoll) {
  ASSERT_EQ(kPoll.size(), 64);
  const auto datagram = DecodeDatagram(kPoll);
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->type, "req");
  const auto poll = DecodePoll(datagram->payload);
  ASSERT_TRUE(poll);
  EXPECT_TRUE(poll->idle);
  EXPECT_EQ(poll->job, 0);
  EXPECT_THAT(poll->pids, testing::ElementsAre(4242, 4200));
}

TEST(KinetoDatagram, AnswersHaveExactlyTheLengthTheySay) {
  EXPECT_EQ(EncodeDatagram({"req", ""}),
            "\0\0\0\0\0\0\0\0req\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv);
  for (size_t size = 0; size < 3000; size += 7) {
    const std::string bytes = EncodeDatagram({"req", std::string(size, 'x')});
    EXPECT_EQ(bytes.size(), 40 + size);
    EXPECT_EQ(DecodeDatagram(bytes)->payload.size(), size);
  }
  // A type that is too long keeps its zero byte.
  EXPECT_EQ(EncodeDatagram({std::string(50, 't'), ""}).substr(8), std::string(31, 't') + '\0');
}

TEST(KinetoDatagram, AnyOtherLengthIsNoDatagram) {
  for (size_t size = 0; size < kPoll.size(); ++size) {
    EXPECT_FALSE(DecodeDatagram(kPoll.substr(0, size))) << size;
  }
  EXPECT_FALSE(DecodeDatagram(kPoll + 'x'));
  const std::string payload = kPoll.substr(40);
  for (size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(DecodePoll(payload.substr(0, size))) << size;
  }
  EXPECT_FALSE(DecodePoll("\x02\0\0\0\xFF\xFF\xFF\x7F\0\0\0\0\0\0\0\0"sv));
  EXPECT_FALSE(DecodePoll("\x02\0\0\0\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\0"sv));
  EXPECT_FALSE(DecodePoll("\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv));
}

TEST(KinetoDatagram, Context) {
  const auto context = DecodeContext("\x03\0\0\0\x92\x10\0\0\x07\0\0\0\0\0\0\0"sv);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->gpu, 3);
  EXPECT_EQ(context->pid, 4242);
  EXPECT_EQ(context->job, 7);
  EXPECT_FALSE(DecodeContext("\x03\0\0\0"sv));
  EXPECT_EQ(EncodeContextAnswer(1), "\x01\0\0\0"sv);
}

// Kineto counts the zero bytes of the name: a daemon bound without the last one is never reached.
TEST(KinetoDatagram, Addresses) {
  EXPECT_EQ(DaemonAddress("").path, "\0dynolog\0"sv);
  EXPECT_TRUE(DaemonAddress("").is_abstract());
  EXPECT_EQ(DaemonAddress("/run/k/").path, "/run/k/dynolog\0"sv);
  EXPECT_FALSE(DaemonAddress("/run/k").is_abstract());
}

}  // namespace
}  // namespace stepscope
