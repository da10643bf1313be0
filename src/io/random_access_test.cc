#include "io/random_access.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace stepscope {
namespace {

// 20 MB of lines, packed by the system's own tools: two gzip members, zstd, plain.
class RandomAccessTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("random_access_" + std::to_string(std::random_device()()));
    std::filesystem::create_directories(folder_);
    std::mt19937_64 random(4);
    while (text_.size() < 20'000'000) {
      text_ +=
          "{\"ts\": " + std::to_string(random() % 1'000'000'000) + ", \"name\": \"aten::mm\"}\n";
    }
    Write("first", text_.substr(0, 7'000'000));
    Write("second", text_.substr(7'000'000));
    Write("plain", text_);
    Run("gzip -1 -c first > both.gz && gzip -3 -c second >> both.gz && zstd -q -1 plain -o "
        "packed.zst");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const char* name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void Run(const std::string& command) {
    ASSERT_EQ(std::system(("cd '" + folder_.string() + "' && " + command).c_str()), 0);
  }
  void Check(RandomAccess& access, int reads) {
    std::mt19937_64 random(9);
    for (int i = 0; i < reads; ++i) {
      const uint64_t offset = random() % (text_.size() + 1000);
      std::string got(1 + random() % 70'000, '\0');
      const Result<size_t> size = access.Read(offset, got);
      ASSERT_TRUE(size.has_value());
      got.resize(*size);
      const std::string wanted =
          offset >= text_.size() ? "" : text_.substr(offset, std::min(got.capacity(), got.size()));
      ASSERT_EQ(got, wanted) << "at " << offset;
      if (offset < text_.size()) {
        ASSERT_GT(got.size(), 0U);
      }
    }
  }

  std::filesystem::path folder_;
  std::string text_;
};

TEST_F(RandomAccessTest, GivesTheSameBytesFromPlainGzipAndZstd) {
  for (const auto& [name, reads] : {std::pair{"plain", 50}, {"both.gz", 12}, {"packed.zst", 4}}) {
    const auto access = RandomAccess::Open((folder_ / name).string());
    ASSERT_TRUE(access.has_value());
    Check(**access, reads);
    (*access)->Prepare({});
    Check(**access, reads);
  }
}

TEST_F(RandomAccessTest, SaysWhatCannotBeRead) {
  EXPECT_FALSE(RandomAccess::Open("-").has_value());
  EXPECT_FALSE(RandomAccess::Open((folder_ / "absent").string()).has_value());
}

}  // namespace
}  // namespace stepscope
