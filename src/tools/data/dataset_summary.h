#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/data/read/survey.h"

namespace stepscope {

// Files by size: below 4 KiB, 64 KiB, 1 MiB, 16 MiB, 256 MiB, 1 GiB, and more.
inline constexpr std::array<uint64_t, 6> kSizeLimits{uint64_t{4} << 10,   uint64_t{64} << 10,
                                                     uint64_t{1} << 20,   uint64_t{16} << 20,
                                                     uint64_t{256} << 20, uint64_t{1} << 30};

struct FormatSummary {
  DatasetFormat format = DatasetFormat::kOther;
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t surveyed_files = 0;
  uint64_t surveyed_bytes = 0;
  uint64_t records = 0;            // in the surveyed files
  uint64_t estimated_records = 0;  // in all, by bytes, where not all were surveyed
  double record_bytes_mean = 0;    // as they lie on disk
  std::optional<uint64_t> record_bytes_least, record_bytes_most;
  uint64_t uncompressed = 0;                    // of the surveyed files
  std::map<std::string, uint64_t> compression;  // name to files
  ExampleSurvey examples;
  std::vector<ParquetFooter::Column> columns;  // summed over files
  std::vector<NamedArray> arrays;              // the first few
  std::map<std::string, uint64_t> tar_extensions;
  uint64_t tar_members = 0;
  std::vector<std::string> classes;  // folders of an image set
};

struct DatasetSummary {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t median_file_bytes = 0;
  std::array<uint64_t, kSizeLimits.size() + 1> size_histogram{};
  std::vector<FormatSummary> formats;  // the one with most bytes first
  std::vector<DatasetDamage> damage;
  uint64_t empty_files = 0;
  // More than 10,000 files whose median is below 1 MiB.
  bool many_small_files = false;
  // Fewer or larger files than that, but a loader would still spend most of its time opening them.
  bool small_files = false;

  // Mean bytes on disk of one record over all formats that have records; 0 where unknown.
  double BytesPerRecord() const;
  uint64_t Records() const;
};

// `facts` has one entry per file, null where it was not surveyed. Images and other files need none:
// each is one record of its own size.
DatasetSummary SummariseDataset(const std::vector<DatasetFile>& files,
                                const std::vector<std::unique_ptr<const FileFacts>>& facts);

}  // namespace stepscope
