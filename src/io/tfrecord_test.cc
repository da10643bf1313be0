#include "io/tfrecord.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "base/testing/data.h"
#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes, size_t chunk = SIZE_MAX)
      : bytes_(bytes), chunk_(chunk) {}
  Result<size_t> Read(std::span<char> into) override {
    const size_t size = std::min({into.size(), chunk_, bytes_.size() - at_});
    std::memcpy(into.data(), bytes_.data() + at_, size);
    at_ += size;
    return size;
  }
  std::optional<uint64_t> compressed_size() const override { return bytes_.size(); }
  uint64_t compressed_position() const override { return at_; }

 private:
  std::string_view bytes_;
  size_t chunk_;
  size_t at_ = 0;
};

struct Walk {
  std::vector<std::string> records;
  std::vector<RecordDamage> damage;
  uint64_t cut = 0;
  // Every byte of the file is in a record, in damage or behind the cut.
  uint64_t accounted = 0;
};

Walk WalkOver(std::string_view bytes, size_t chunk = SIZE_MAX) {
  MemorySource source(bytes, chunk);
  RecordStream stream(source);
  Walk walk;
  for (;;) {
    switch (stream.Next()) {
      case RecordStream::Outcome::kRecord:
        walk.records.emplace_back(stream.data());
        walk.accounted += stream.data().size() + kRecordHeaderBytes + kRecordFooterBytes;
        continue;
      case RecordStream::Outcome::kDamage:
        walk.damage.push_back(stream.damage());
        walk.accounted += stream.damage().skipped;
        continue;
      case RecordStream::Outcome::kEnd:
        walk.cut = stream.cut_bytes();
        walk.accounted += walk.cut;
        return walk;
    }
  }
}

std::vector<std::string> SomeRecords() {
  std::vector<std::string> records;
  for (const size_t size : {0, 1, 7, 300, 2, 70000, 5}) {
    records.emplace_back(size, static_cast<char>('a' + records.size()));
  }
  return records;
}
std::string Framed(const std::vector<std::string>& records) {
  std::string file;
  for (const std::string& record : records) AppendRecord(record, file);
  return file;
}

TEST(RecordStream, ReadsWhatWasAppended) {
  const auto records = SomeRecords();
  const std::string file = Framed(records);
  for (const size_t chunk : {size_t{1}, size_t{13}, size_t{4096}, SIZE_MAX}) {
    const Walk walk = WalkOver(file, chunk);
    EXPECT_EQ(walk.records, records);
    EXPECT_TRUE(walk.damage.empty());
    EXPECT_EQ(walk.cut, 0u);
  }
}

TEST(RecordStreamAcceptance, FrameIsTensorBoards) {
  std::ifstream in(AcceptanceData("tfevents/rustboard_tf_record_test_two_records.tfevents"),
                   std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(in)), {});
  const Walk walk = WalkOver(file);
  ASSERT_EQ(walk.records.size(), 2u);
  EXPECT_EQ(walk.records[0].size(), 24u);
  EXPECT_EQ(walk.records[1].size(), 50u);
  EXPECT_EQ(Framed(walk.records), file);
}

TEST(RecordStream, CutAnywhereGivesTheRecordsBefore) {
  const std::vector<std::string> records{"", "first", std::string(200, 'x'), "last"};
  const std::string file = Framed(records);
  for (size_t cut = 0; cut <= file.size(); ++cut) {
    const Walk walk = WalkOver(std::string_view(file).substr(0, cut));
    size_t whole = 0;
    size_t bytes = 0;
    while (whole < records.size() && bytes + records[whole].size() + 16 <= cut) {
      bytes += records[whole++].size() + 16;
    }
    EXPECT_EQ(walk.records.size(), whole) << cut;
    EXPECT_TRUE(walk.damage.empty()) << cut;
    EXPECT_EQ(walk.cut, cut - bytes) << cut;
  }
}

TEST(RecordStream, AnyFlippedBitCostsOneRecord) {
  const std::vector<std::string> records{"zero", "one", std::string(90, 'z'), "three"};
  const std::string file = Framed(records);
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string bad = file;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    const Walk walk = WalkOver(bad);
    EXPECT_EQ(walk.records.size(), records.size() - 1) << bit;
    EXPECT_EQ(walk.damage.size(), 1u) << bit;
    EXPECT_EQ(walk.accounted, file.size()) << bit;
  }
}

TEST(RecordStream, AccountsForEveryByteOfMutatedFiles) {
  const std::string file = Framed(SomeRecords());
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::string bad = file;
    for (int i = 0; i < 4; ++i) {
      const size_t at = random() % bad.size();
      switch (random() % 3) {
        case 0:
          bad[at] = static_cast<char>(random());
          break;
        case 1:
          bad.erase(at, random() % 40);
          break;
        case 2:
          bad.insert(at, std::string(random() % 40, '\0'));
          break;
      }
    }
    EXPECT_EQ(WalkOver(bad, 1 + random() % 5000).accounted, bad.size());
  }
}

TEST(RecordStream, WaitsForTheRestOfARecord) {
  const std::string file = Framed({"one", "two"});
  const TempDir folder;
  const std::string path = folder / "growing.tfrecord";
  std::ofstream out(path, std::ios::binary);
  out.write(file.data(), 25).flush();
  auto opened = OpenRecordFile(path);
  ASSERT_TRUE(opened);
  RecordStream stream(*opened->bytes, RecordStream::AtCut::kWait);
  EXPECT_EQ(stream.Next(), RecordStream::Outcome::kRecord);
  EXPECT_EQ(stream.Next(), RecordStream::Outcome::kEnd);
  EXPECT_EQ(stream.cut_bytes(), 6u);
  out.write(file.data() + 25, static_cast<std::streamsize>(file.size()) - 25).flush();
  EXPECT_EQ(stream.Next(), RecordStream::Outcome::kRecord);
  EXPECT_EQ(stream.data(), "two");
  EXPECT_EQ(stream.Next(), RecordStream::Outcome::kEnd);
  EXPECT_EQ(stream.cut_bytes(), 0u);
}

TEST(RecordStream, ZeroTailIsSaid) {
  const std::string file = Framed({"one"}) + std::string(60, '\0');
  const Walk walk = WalkOver(file);
  ASSERT_EQ(walk.damage.size(), 1u);
  EXPECT_TRUE(walk.damage[0].zeros);
  EXPECT_EQ(walk.damage[0].skipped, 60u);
}

// The bytes come 16 at a time: each of these zeros ends in another place of what has arrived.
TEST(RecordStream, ARecordBehindZerosIsFoundWhereverTheBytesEnd) {
  for (size_t zeros = 30; zeros < 62; ++zeros) {
    // A length of 256 begins with a byte of zero.
    const Walk walk =
        WalkOver(Framed({"one"}) + std::string(zeros, '\0') + Framed({std::string(256, 'x')}), 16);
    EXPECT_EQ(walk.records.size(), 2u) << zeros;
    ASSERT_EQ(walk.damage.size(), 1u) << zeros;
    EXPECT_EQ(walk.damage[0].skipped, zeros);
  }
}

// 10 GB that never were written: the walk ends long before.
TEST(RecordStream, EndlessZerosAreGivenUp) {
  class Zeros final : public ByteSource {
   public:
    Result<size_t> Read(std::span<char> into) override {
      const size_t size = std::min<uint64_t>(into.size(), 10'000'000'000 - at_);
      std::memset(into.data(), 0, size);
      at_ += size;
      return size;
    }
    std::optional<uint64_t> compressed_size() const override { return 10'000'000'000; }
    uint64_t compressed_position() const override { return at_; }

   private:
    uint64_t at_ = 0;
  } zeros;
  RecordStream stream(zeros);
  ASSERT_EQ(stream.Next(), RecordStream::Outcome::kDamage);
  EXPECT_TRUE(stream.damage().zeros && stream.damage().rest_unread);
  EXPECT_EQ(stream.Next(), RecordStream::Outcome::kEnd);
  EXPECT_LT(zeros.compressed_position(), uint64_t{100} << 20);
}

}  // namespace
}  // namespace stepscope
