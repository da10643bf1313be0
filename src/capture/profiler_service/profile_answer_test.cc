#include "capture/profiler_service/profile_answer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

using namespace std::string_view_literals;

std::string Framed(std::string_view message) {
  std::string out("\0\0\0\0", 4);
  out += static_cast<char>(message.size());
  return out.append(message);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// tool_data{…} = 6, empty_trace = 7, xspace = 8, and fields that nobody knows of every wire type.
const std::string kAnswer = Framed(
    "\x32\x03xyz\x38\x01\x42\x05hello\x49"
    "12345678\x55"
    "1234\x60\x96\x01\x42\x02!!"sv);

TEST(ProfileAnswer, TheSameHoweverTheBytesCome) {
  const TempDir dir;
  for (size_t size = 1; size <= kAnswer.size(); ++size) {
    ProfileAnswer answer(dir / "x.xplane.pb");
    for (size_t at = 0; at < kAnswer.size(); at += size) {
      ASSERT_TRUE(answer.Feed(std::string_view(kAnswer).substr(at, size)));
    }
    ASSERT_TRUE(answer.Close());
    EXPECT_TRUE(answer.complete());
    EXPECT_TRUE(answer.empty_trace());
    EXPECT_EQ(answer.written(), 7);
    EXPECT_EQ(ReadFile(dir / "x.xplane.pb"), "hello!!");
  }
}

TEST(ProfileAnswer, CutAnywhereItIsNotComplete) {
  const TempDir dir;
  for (size_t size = 0; size < kAnswer.size(); ++size) {
    ProfileAnswer answer(dir / "x.xplane.pb");
    ASSERT_TRUE(answer.Feed(std::string_view(kAnswer).substr(0, size)));
    EXPECT_FALSE(answer.complete()) << size;
  }
  // A capture that is given up leaves no file.
  EXPECT_FALSE(std::filesystem::exists(dir / "x.xplane.pb"));
}

TEST(ProfileAnswer, WithoutAnXSpaceThereIsNoFile) {
  const TempDir dir;
  ProfileAnswer answer(dir / "x.xplane.pb");
  EXPECT_TRUE(answer.Feed(Framed("")));
  EXPECT_TRUE(answer.complete());
  EXPECT_TRUE(answer.Close());
  EXPECT_EQ(answer.written(), 0);
  EXPECT_FALSE(std::filesystem::exists(dir / "x.xplane.pb"));
}

TEST(ProfileAnswer, WhatIsNoAnswer) {
  for (const std::string& bytes :
       {std::string("\x01\0\0\0\x02\x38\x01", 7), Framed("\x43"), Framed("\x46"),
        Framed("\x42\x7F"
               "short"),
        Framed(std::string(30, '\xFF')), Framed("") + "more"}) {
    ProfileAnswer answer("/dev/null");
    EXPECT_FALSE(answer.Feed(bytes));
    ASSERT_TRUE(answer.fault());
    EXPECT_EQ(answer.fault()->code, ErrorCode::kDamaged);
  }
}

TEST(ProfileAnswer, AFullDisk) {
  ProfileAnswer answer("/dev/full");
  const std::string block(size_t{1} << 20, 'x');
  bool fine = answer.Feed("\0\x7F\0\0\0\x42\x80\x80\x80\x20"sv);
  for (int i = 0; i < 4 && fine; ++i) fine = answer.Feed(block);
  ASSERT_FALSE(fine);
  EXPECT_EQ(answer.fault()->code, ErrorCode::kCannotWrite);
}

TEST(ProfileAnswer, TwoGigabytes) {
  ProfileAnswer answer("/dev/null");
  // A message of 2^31 + 6 bytes: tag, five bytes of length, 2^31 bytes of XSpace.
  ASSERT_TRUE(answer.Feed("\0\x80\0\0\x06\x42\x80\x80\x80\x80\x08"sv));
  const std::string block(size_t{1} << 20, 'x');
  for (int i = 0; i < 2048; ++i) ASSERT_TRUE(answer.Feed(block));
  EXPECT_TRUE(answer.complete());
  EXPECT_EQ(answer.written(), uint64_t{1} << 31);
}

}  // namespace
}  // namespace stepscope
