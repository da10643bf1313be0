#include "read/pickle/pickle.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out += static_cast<char>(byte);
  return out;
}

// pickle.dumps({"a": [1, -2, 300, None, True, 0.5], "b": ("x",)}, protocol=4), without the frame.
std::string Small() {
  return Bytes({0x80, 4}) + "}\x94(\x8c\x01" + "a\x94]\x94(K\x01J\xfe\xff\xff\xffM\x2c\x01N\x88G" +
         Bytes({0x3f, 0xe0, 0, 0, 0, 0, 0, 0}) + "e\x8c\x01" + "b\x94\x8c\x01x\x94\x85\x94u.";
}

TEST(Pickle, PlainValues) {
  const std::string bytes = Small();
  const Result<Pickle> pickle = Pickle::Parse(bytes, "p");
  ASSERT_TRUE(pickle) << InEnglish(pickle.error().sentence);
  const auto list = pickle->Items(pickle->Get(pickle->root(), "a"));
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(pickle->Integer(list[0]), 1);
  EXPECT_EQ(pickle->Integer(list[1]), -2);
  EXPECT_EQ(pickle->Integer(list[2]), 300);
  EXPECT_TRUE(pickle->IsNone(list[3]));
  EXPECT_EQ(pickle->Integer(list[4]), 1);
  EXPECT_EQ(pickle->Real(list[5]), 0.5);
  const auto tuple = pickle->Items(pickle->Get(pickle->root(), "b"));
  ASSERT_EQ(tuple.size(), 1u);
  EXPECT_EQ(pickle->Text(tuple[0]), "x");
  EXPECT_TRUE(pickle->IsNone(pickle->Get(pickle->root(), "c")));
}

TEST(Pickle, SharedValuesStayShared) {
  // x = []; [x, x]
  const std::string bytes = Bytes({0x80, 4}) + "](]\x94h" + Bytes({0}) + "e.";
  const Result<Pickle> pickle = Pickle::Parse(bytes, "p");
  ASSERT_TRUE(pickle) << InEnglish(pickle.error().sentence);
  const auto items = pickle->Items(pickle->root());
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0], items[1]);
}

TEST(Pickle, LongNumbers) {
  const std::string address =
      Bytes({0x80, 4, 0x8a, 9, 0, 0, 0, 0, 0, 0, 0, 0x80, 0}) + ".";  // 2 ** 63
  const Result<Pickle> pickle = Pickle::Parse(address, "p");
  ASSERT_TRUE(pickle);
  EXPECT_EQ(static_cast<uint64_t>(pickle->Integer(pickle->root())), uint64_t{1} << 63);
  const Result<Pickle> negative = Pickle::Parse(Bytes({0x80, 4, 0x8a, 3, 0, 0, 0xff}) + ".", "p");
  ASSERT_TRUE(negative);
  EXPECT_EQ(negative->Integer(negative->root()), -65536);
}

TEST(Pickle, ListsOfPyTorchsOwnWriter) {
  const std::string bytes =
      Bytes({0x80, 2}) + "ctorch.jit._pickle\nbuild_intlist\n(](K\x07" + "K\x08" + "etR.";
  const Result<Pickle> pickle = Pickle::Parse(bytes, "p");
  ASSERT_TRUE(pickle) << InEnglish(pickle.error().sentence);
  const auto items = pickle->Items(pickle->root());
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(pickle->Integer(items[1]), 8);
}

TEST(Pickle, NothingIsRun) {
  const Result<Pickle> global = Pickle::Parse(
      Bytes({0x80, 2}) + "cos\nsystem\n(X\x04" + Bytes({0, 0, 0}) + "true" + "tR.", "p");
  ASSERT_FALSE(global);
  EXPECT_EQ(InEnglish(global.error().sentence),
            "This pickle holds Python objects; Stepscope does not run them.");
  EXPECT_EQ(global.error().offset, 2u);
  const Result<Pickle> opcode = Pickle::Parse(Bytes({0x80, 4, 'N', 0x93}) + ".", "p");
  ASSERT_FALSE(opcode);
  EXPECT_EQ(opcode.error().offset, 3u);
  EXPECT_EQ(InEnglish(opcode.error().sentence),
            "This pickle holds Python objects (opcode 0x93); Stepscope does not run them.");
}

TEST(Pickle, DamageIsAnErrorWithItsPlace) {
  const std::string bytes = Small();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Pickle::Parse(std::string_view(bytes).substr(0, size), "p")) << size;
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      const Result<Pickle> pickle = Pickle::Parse(changed, "p");
      EXPECT_TRUE(pickle || pickle.error().offset);
    }
  }
}

}  // namespace
}  // namespace stepscope
