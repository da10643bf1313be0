#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "tools/data/read/survey.h"

namespace stepscope {
namespace {

// Written by TensorFlow 2.21, pyarrow 26, NumPy and Python's tarfile; what they hold is known from
// those.
std::string Dataset(const std::string& name) { return TestData("dataset/" + name); }

DatasetFile FileAt(const std::string& path) {
  const auto files = FindDatasetFiles({path});
  EXPECT_TRUE(files);
  return files ? files->front() : DatasetFile();
}

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}
void Write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(Survey, TfRecordInEveryCompression) {
  for (const char* compression : {"none", "gzip", "zlib"}) {
    SCOPED_TRACE(compression);
    const DatasetFile file = FileAt(Dataset(std::string("tiny.") + compression + ".tfrecord"));
    EXPECT_EQ(file.format, DatasetFormat::kTfRecord);
    const FileFacts facts = SurveyFile(file, {});
    EXPECT_EQ(facts.compression, compression);
    EXPECT_EQ(facts.records, 5u);
    EXPECT_EQ(facts.uncompressed, 454u);
    EXPECT_TRUE(facts.damage.empty());
    EXPECT_EQ(facts.examples.examples(), 5u);
    const auto& features = facts.examples.features();
    ASSERT_EQ(features.size(), 3u);
    EXPECT_EQ(features.at("label").type, FeatureType::kInt64);
    EXPECT_EQ(features.at("label").most, 2u);
    EXPECT_EQ(features.at("w").least, 0u);
    EXPECT_EQ(features.at("w").most, 4u);
    EXPECT_EQ(features.at("image/encoded").least_bytes, 5u);
    EXPECT_EQ(features.at("image/encoded").most_bytes, 9u);
  }
}

TEST(Survey, CutCompressedFilesKeepWhatIsWhole) {
  for (const char* compression : {"gzip", "zlib"}) {
    const std::string whole = Read(Dataset(std::string("tiny.") + compression + ".tfrecord"));
    const TempDir folder;
    const std::string copy = folder / "cut.tfrecord";
    for (size_t cut = 3; cut < whole.size(); cut += 7) {
      Write(copy, std::string_view(whole).substr(0, cut));
      const FileFacts facts = SurveyFile(FileAt(copy), {});
      EXPECT_LE(facts.records, 5u);
      EXPECT_FALSE(facts.damage.empty()) << compression << " " << cut;
    }
  }
}

TEST(Survey, ParquetFooter) {
  const FileFacts facts = SurveyFile(FileAt(Dataset("tiny.parquet")), {});
  ASSERT_TRUE(facts.parquet);
  EXPECT_EQ(facts.records, 100u);
  EXPECT_EQ(facts.parquet->row_groups, 3u);
  EXPECT_EQ(facts.compression, "snappy");
  ASSERT_EQ(facts.parquet->columns.size(), 3u);
  const auto& columns = facts.parquet->columns;
  EXPECT_EQ(columns[0].path, "x");
  EXPECT_EQ(columns[0].type, "int64");
  EXPECT_EQ(columns[0].compressed, 785u);
  EXPECT_EQ(columns[1].type, "byte_array");
  EXPECT_EQ(columns[1].compressed, 703u);
  EXPECT_EQ(columns[2].path, "l.list.element");
  EXPECT_EQ(columns[2].values, 200u);
}

TEST(Survey, ParquetSurvivesEveryCutAndThousandMutations) {
  const std::string whole = Read(Dataset("tiny.parquet"));
  const TempDir folder;
  const std::string copy = folder / "mutated.parquet";
  for (size_t cut = 0; cut < whole.size(); cut += 3) {
    Write(copy, std::string_view(whole).substr(0, cut));
    EXPECT_FALSE(ReadParquetFooter(copy)) << cut;
  }
  // The footer itself, without a file: mutations that still parse must end.
  uint32_t length = 0;
  std::memcpy(&length, whole.data() + whole.size() - 8, sizeof length);
  const std::string footer = whole.substr(whole.size() - 8 - length, length);
  ASSERT_TRUE(ParseParquetFooter(footer));
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    std::string bad = footer;
    for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    (void)ParseParquetFooter(bad);
  }
}

TEST(Survey, NumPyArrays) {
  const FileFacts npy = SurveyFile(FileAt(Dataset("tiny.npy")), {});
  ASSERT_EQ(npy.arrays.size(), 1u);
  EXPECT_EQ(npy.arrays[0].type, "<f4");
  EXPECT_EQ(npy.arrays[0].shape, (std::vector<int64_t>{5, 7, 3}));
  EXPECT_EQ(npy.record_bytes, 420u);
  EXPECT_EQ(npy.records, 5u);
  const FileFacts npz = SurveyFile(FileAt(Dataset("tiny.npz")), {});
  ASSERT_EQ(npz.arrays.size(), 2u);
  EXPECT_EQ(npz.arrays[0].name, "u.npy");
  EXPECT_EQ(npz.arrays[1].bytes, 224u);  // 128 of header and 12 doubles
  const std::string whole = Read(Dataset("tiny.npz"));
  const TempDir folder;
  const std::string copy = folder / "cut.npz";
  for (size_t cut = 0; cut < whole.size(); cut += 5) {
    Write(copy, std::string_view(whole).substr(0, cut));
    SurveyFile(FileAt(copy), {});
  }
}

TEST(Survey, TarAsWebDataset) {
  const FileFacts facts = SurveyFile(FileAt(Dataset("tiny.tar")), {});
  ASSERT_TRUE(facts.tar);
  EXPECT_EQ(facts.tar->members, 7u);
  EXPECT_EQ(facts.tar->samples, 4u);
  EXPECT_EQ(facts.tar->bytes, 2u * (10 + 11 + 12) + 4);
  EXPECT_EQ(facts.tar->extensions.at("jpg"), 4u);
  EXPECT_TRUE(facts.damage.empty());
  const std::string whole = Read(Dataset("tiny.tar"));
  const TempDir folder;
  const std::string copy = folder / "cut.tar";
  for (size_t cut = 0; cut < whole.size(); cut += 97) {
    Write(copy, std::string_view(whole).substr(0, cut));
    const FileFacts part = SurveyFile(FileAt(copy), {});
    EXPECT_LE(part.records, 4u);
  }
  std::string bad = whole;
  bad[512 * 2 + 10] ^= 1;  // in the second header
  Write(copy, bad);
  const FileFacts damaged = SurveyFile(FileAt(copy), {});
  ASSERT_EQ(damaged.damage.size(), 1u);
  EXPECT_EQ(damaged.damage[0].offset, 1024u);
  EXPECT_EQ(damaged.tar->members, 1u);
}

TEST(ParseExample, RefusesWhatIsNone) {
  EXPECT_FALSE(ParseExample(""));
  EXPECT_FALSE(ParseExample("plain text, and some more of it"));
  EXPECT_FALSE(ParseExample(std::string(100, '\0')));
}

}  // namespace
}  // namespace stepscope
