#include "tools/data/dataset_summary.h"

#include <gtest/gtest.h>

#include "tools/data/disk_need.h"

namespace stepscope {
namespace {

DatasetFile File(std::string name, uint64_t bytes, DatasetFormat format) {
  DatasetFile file;
  file.path = file.name = std::move(name);
  file.bytes = bytes;
  file.format = format;
  return file;
}

TEST(DatasetSummary, CountsSmallFilesAndClasses) {
  std::vector<DatasetFile> files;
  std::vector<std::unique_ptr<const FileFacts>> facts;
  for (int i = 0; i < 10001; ++i) {
    files.push_back(
        File((i < 5000 ? "a/" : "b/") + std::to_string(i), 2000, DatasetFormat::kImage));
    facts.push_back(nullptr);
  }
  const DatasetSummary summary = SummariseDataset(files, facts);
  EXPECT_TRUE(summary.many_small_files);
  EXPECT_EQ(summary.median_file_bytes, 2000u);
  EXPECT_EQ(summary.size_histogram[0], 10001u);
  ASSERT_EQ(summary.formats.size(), 1u);
  EXPECT_EQ(summary.formats[0].classes.size(), 2u);
  EXPECT_EQ(summary.Records(), 10001u);
  EXPECT_DOUBLE_EQ(summary.BytesPerRecord(), 2000);
}

TEST(DatasetSummary, EstimatesWhatWasNotRead) {
  const std::vector<DatasetFile> files{File("a", 1000, DatasetFormat::kTfRecord),
                                       File("b", 3000, DatasetFormat::kTfRecord)};
  auto read = std::make_unique<FileFacts>();
  read->records = 10;
  read->least = 50;
  read->most = 150;
  std::vector<std::unique_ptr<const FileFacts>> facts(2);
  facts[0] = std::move(read);
  const DatasetSummary summary = SummariseDataset(files, facts);
  EXPECT_EQ(summary.formats[0].records, 10u);
  EXPECT_EQ(summary.formats[0].estimated_records, 40u);
  EXPECT_EQ(summary.formats[0].record_bytes_most, 150u);
  EXPECT_FALSE(summary.many_small_files);
}

TEST(DiskNeed, ComparesNeededWithMeasured) {
  // Batch 256 of 110,000 bytes every 100 ms: 2,560 records and 281.6 MB per second.
  const DiskNeed need = NeedOf(0.1, 256, 110000, 300e6, uint64_t{10} << 30, uint64_t{64} << 30);
  EXPECT_DOUBLE_EQ(need.records_per_second, 2560);
  EXPECT_DOUBLE_EQ(need.bytes_per_second, 281.6e6);
  EXPECT_EQ(need.verdict, DiskNeed::Verdict::kTight);
  ASSERT_EQ(need.classes.size(), 4u);
  EXPECT_FALSE(need.classes[0].suffices);
  EXPECT_FALSE(need.classes[1].suffices);
  EXPECT_TRUE(need.classes[2].suffices);
  EXPECT_TRUE(need.fits_in_memory);
  EXPECT_EQ(NeedOf(0.1, 256, 110000, 200e6, 0, 0).verdict, DiskNeed::Verdict::kTooSlow);
  EXPECT_EQ(NeedOf(0.1, 256, 110000, 2e9, 0, 0).verdict, DiskNeed::Verdict::kSuffices);
  EXPECT_EQ(NeedOf(0.1, 1, 1, std::nullopt, 0, 0).verdict, DiskNeed::Verdict::kNotMeasured);
}

}  // namespace
}  // namespace stepscope
