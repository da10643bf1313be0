#include "io/byte_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ByteSink, AnUnfinishedFileLeavesTheOldOneAndNoLitter) {
  const TempDir folder;
  const std::string path = folder.path() + "/out.json";
  std::ofstream(path) << "old";
  {
    auto sink = OpenSink(path, Compression::kNone);
    ASSERT_TRUE(sink);
    ASSERT_TRUE((*sink)->Write("new"));
  }
  EXPECT_EQ(ContentOf(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  auto sink = OpenSink(path, Compression::kNone);
  ASSERT_TRUE(sink && (*sink)->Write("new") && (*sink)->Close());
  EXPECT_EQ(ContentOf(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(ByteSink, ALinkStaysALink) {
  const TempDir folder;
  const std::string path = folder.path() + "/real", link = folder.path() + "/link";
  std::ofstream(path) << "old";
  fs::create_symlink("real", link);
  auto sink = OpenSink(link, Compression::kNone);
  ASSERT_TRUE(sink && (*sink)->Write("new") && (*sink)->Close());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(ContentOf(path), "new");
}

// Removing /dev/null is what an unfinished write once did.
TEST(ByteSink, WhatIsNoRegularFileIsWrittenThroughAndStays) {
  const TempDir folder;
  const std::string path = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  {
    auto sink = OpenSink(path, Compression::kNone);
    ASSERT_TRUE(sink);
    ASSERT_TRUE((*sink)->Write("bytes") && (*sink)->Close());
  }
  EXPECT_TRUE(fs::is_fifo(path));
  char got[5];
  EXPECT_EQ(read(reader, got, sizeof got), 5);
  close(reader);
}

}  // namespace
}  // namespace stepscope
