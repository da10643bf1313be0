#include "io/random_access.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

// 20 MB of lines, packed by the system's own tools: two gzip members, zstd, plain.
class RandomAccessTest : public testing::Test {
 protected:
  void SetUp() override {
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

  void Write(const char* name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void Run(const std::string& command) {
    ASSERT_EQ(std::system(("cd '" + folder_.path() + "' && " + command).c_str()), 0);
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

  TempDir folder_;
  std::string text_;
};

TEST_F(RandomAccessTest, GivesTheSameBytesFromPlainGzipAndZstd) {
  for (const auto& [name, reads] : {std::pair{"plain", 50}, {"both.gz", 12}, {"packed.zst", 4}}) {
    const auto access = RandomAccess::Open(folder_ / name);
    ASSERT_TRUE(access.has_value());
    Check(**access, reads);
    (*access)->Prepare({});
    Check(**access, reads);
  }
}

TEST_F(RandomAccessTest, SaysWhatCannotBeRead) {
  EXPECT_FALSE(RandomAccess::Open("-").has_value());
  EXPECT_FALSE(RandomAccess::Open(folder_ / "absent").has_value());
}

}  // namespace
}  // namespace stepscope
