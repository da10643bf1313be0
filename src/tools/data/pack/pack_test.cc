#include "tools/data/pack/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "base/testing/temp_dir.h"
#include "io/tfrecord.h"
#include "tools/data/pack/reshard.h"
#include "tools/data/read/example.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

class PackTest : public testing::Test {
 protected:
  void SetUp() override {
    std::mt19937 random(1);
    for (int i = 0; i < 50; ++i) {
      const std::string name = (i % 3 == 0 ? "dog/" : "cat/") + std::to_string(100 + i) + ".jpg";
      std::string content(random() % 3000, '\0');
      for (char& c : content) c = static_cast<char>(random());
      files_[name] = content;
      fs::create_directories(fs::path(source() + "/" + name).parent_path());
      std::ofstream(source() + "/" + name, std::ios::binary) << content;
    }
  }

  std::string source() const { return root_ + "/source"; }
  std::string out(const char* name = "out") const { return root_ + "/" + name; }

  PackPlan Plan(PackOptions options = {}) const {
    if (options.shard_bytes == PackOptions().shard_bytes) options.shard_bytes = 20000;
    auto plan = PlanPack(*FindDatasetFiles({source()}), options);
    EXPECT_TRUE(plan);
    return std::move(*plan);
  }
  Result<PackResult> Do(const PackPlan& plan, const std::string& directory,
                        Overwrite overwrite = Overwrite::kNever, unsigned threads = 2) const {
    TaskPool pool(threads);
    return Pack(plan, directory, overwrite, pool, {});
  }
  static std::string Bytes(const std::string& directory) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(directory)) paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::string all;
    for (const fs::path& path : paths) {
      std::ifstream in(path, std::ios::binary);
      all += path.filename().string() + std::string((std::istreambuf_iterator<char>(in)), {});
    }
    return all;
  }
  static std::vector<std::string> Records(const std::vector<std::string>& paths) {
    std::vector<std::string> records;
    for (const std::string& path : paths) {
      const auto file = OpenRecordFile(path);
      EXPECT_TRUE(file);
      RecordStream stream(*file->bytes);
      while (stream.Next() == RecordStream::Outcome::kRecord) records.emplace_back(stream.data());
      EXPECT_EQ(stream.cut_bytes(), 0u);
    }
    return records;
  }

  TempDir temp_;
  const std::string& root_ = temp_.path();
  std::map<std::string, std::string> files_;
};

TEST_F(PackTest, ExamplesHoldImageNameAndLabel) {
  const auto result = Do(Plan(), out());
  ASSERT_TRUE(result);
  EXPECT_GT(result->shards, 2u);
  std::map<std::string, std::string> seen;
  for (const std::string& record : Records(result->paths)) {
    const auto features = ParseExample(record);
    ASSERT_TRUE(features);
    ASSERT_EQ(features->size(), 3u);
    EXPECT_EQ((*features)[0].name, "image/class/label");
    EXPECT_EQ((*features)[1].name, "image/encoded");
    EXPECT_EQ((*features)[2].name, "image/filename");
    const std::string name((*features)[2].bytes.at(0));
    seen[name] = (*features)[1].bytes.at(0);
    EXPECT_EQ(IntegersOf((*features)[0]), std::vector<int64_t>{name.starts_with("dog/") ? 1 : 0});
  }
  EXPECT_EQ(seen, files_);
}

TEST_F(PackTest, BytesDoNotDependOnThreads) {
  PackOptions options;
  options.shuffle_seed = 7;
  const PackPlan plan = Plan(options);
  ASSERT_TRUE(Do(plan, out("one"), Overwrite::kNever, 1));
  ASSERT_TRUE(Do(plan, out("four"), Overwrite::kNever, 4));
  EXPECT_EQ(Bytes(out("one")), Bytes(out("four")));
  options.shuffle_seed = 8;
  ASSERT_TRUE(Do(Plan(options), out("other")));
  EXPECT_NE(Bytes(out("one")), Bytes(out("other")));
}

TEST_F(PackTest, GoesOnWhereItWasStopped) {
  const PackPlan plan = Plan();
  const auto first = Do(plan, out());
  ASSERT_TRUE(first);
  const std::string whole = Bytes(out());
  fs::remove(first->paths[1]);
  fs::resize_file(first->paths[2], 100);
  std::ofstream(out() + "/.data-00001.stepscope-tmp-1-1") << "left behind";
  const auto again = Do(plan, out());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->shards_kept, first->shards - 2);
  EXPECT_EQ(Bytes(out()), whole);
}

TEST_F(PackTest, OverwritesNothingWithoutForce) {
  ASSERT_TRUE(Do(Plan(), out()));
  const std::string before = Bytes(out());
  PackOptions other;
  other.shard_bytes = 50000;
  const auto refused = Do(Plan(other), out());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCannotWrite);
  EXPECT_EQ(Bytes(out()), before);
  const auto forced = Do(Plan(other), out(), Overwrite::kAllowed);
  ASSERT_TRUE(forced);
  size_t shards = 0;
  for (const auto& entry : fs::directory_iterator(out())) {
    shards += entry.path().extension() == ".tfrecord" ? 1 : 0;
  }
  EXPECT_EQ(shards, forced->shards);  // nothing of the old packing is left
  // Files that no packing knows are not touched either.
  fs::create_directories(out("foreign"));
  std::ofstream(out("foreign") + "/" + Plan().shards[0].name) << "mine";
  EXPECT_FALSE(Do(Plan(), out("foreign")));
}

TEST_F(PackTest, SaysWhenAFileChanged) {
  const PackPlan plan = Plan();
  std::ofstream(source() + "/cat/101.jpg", std::ios::app) << "more";
  const auto result = Do(plan, out());
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().file.ends_with("cat/101.jpg"));
  for (const auto& entry : fs::directory_iterator(out())) {
    EXPECT_FALSE(IsTemporaryName(entry.path().filename().string()));
  }
}

TEST_F(PackTest, UnpackGivesBackWhatWasPacked) {
  for (const RecordLayout layout : {RecordLayout::kImageExample, RecordLayout::kRaw}) {
    PackOptions options;
    options.layout = layout;
    options.shuffle_seed = 3;
    const char* name = layout == RecordLayout::kRaw ? "raw" : "example";
    const auto packed = Do(Plan(options), out(name));
    ASSERT_TRUE(packed);
    const std::string back = out(name) + "_back";
    const auto unpacked = Unpack(packed->paths, back, Overwrite::kNever, {});
    ASSERT_TRUE(unpacked);
    EXPECT_EQ(unpacked->files, files_.size());
    for (const auto& [file, content] : files_) {
      std::ifstream in(back + "/" + file, std::ios::binary);
      EXPECT_EQ(std::string((std::istreambuf_iterator<char>(in)), {}), content) << file;
    }
    EXPECT_FALSE(Unpack(packed->paths, back, Overwrite::kNever, {}));
  }
}

TEST_F(PackTest, SplitKeepsEveryRecordOnce) {
  const auto packed = Do(Plan(), out());
  ASSERT_TRUE(packed);
  std::vector<std::string> before = Records(packed->paths);
  ReshardOptions options;
  options.shard_bytes = 9000;
  const auto same = Reshard(packed->paths, out("split"), options, {});
  ASSERT_TRUE(same);
  EXPECT_EQ(Records(same->paths), before);  // order is kept
  options.parts = {0.8, 0.2};
  options.prefix = "parts";
  const auto parts = Reshard(packed->paths, out("split"), options, {});
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->part_records.size(), 2u);
  EXPECT_GT(parts->part_records[0], parts->part_records[1]);
  std::vector<std::string> after = Records(parts->paths);
  std::ranges::sort(before);
  std::ranges::sort(after);
  EXPECT_EQ(after, before);
}

TEST(Unpack, NamesCannotLeaveTheDirectory) {
  // An Example whose image/filename is "../../evil".
  PackedFile file;
  file.file.name = "../../evil";
  file.file.bytes = 3;
  const RecordEnvelope envelope = EnvelopeOf(file, RecordLayout::kImageExample);
  std::string bytes;
  AppendRecord(envelope.before + "abc" + envelope.after, bytes);
  const TempDir temp;
  const std::string& folder = temp.path();
  std::ofstream(folder + "/evil.tfrecord", std::ios::binary) << bytes;
  ASSERT_TRUE(Unpack({folder + "/evil.tfrecord"}, folder + "/a/b", Overwrite::kNever, {}));
  EXPECT_TRUE(fs::exists(folder + "/a/b/evil"));
  EXPECT_FALSE(fs::exists(folder + "/evil"));
}

}  // namespace
}  // namespace stepscope
