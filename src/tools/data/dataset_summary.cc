#include "tools/data/dataset_summary.h"

#include <algorithm>

namespace stepscope {
namespace {

constexpr uint64_t kManyFiles = 10'000;
constexpr uint64_t kSomeFiles = 1'000;
constexpr uint64_t kSmallFile = uint64_t{1} << 20;
constexpr size_t kMostArrays = 32;

uint64_t MedianSize(const std::vector<DatasetFile>& files) {
  std::vector<uint64_t> sizes;
  for (const DatasetFile& file : files) sizes.push_back(file.bytes);
  const auto middle = sizes.begin() + static_cast<ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return sizes.empty() ? 0 : *middle;
}

void AddParquet(const ParquetFooter& footer, FormatSummary& summary) {
  for (const ParquetFooter::Column& column : footer.columns) {
    const auto known =
        std::ranges::find(summary.columns, column.path, &ParquetFooter::Column::path);
    if (known == summary.columns.end()) {
      summary.columns.push_back(column);
      continue;
    }
    known->values += column.values;
    known->compressed += column.compressed;
    known->uncompressed += column.uncompressed;
  }
}

void CoverSize(uint64_t least, uint64_t most, FormatSummary& summary) {
  summary.record_bytes_least = std::min(least, summary.record_bytes_least.value_or(least));
  summary.record_bytes_most = std::max(most, summary.record_bytes_most.value_or(0));
}

void AddWholeFile(const DatasetFile& file, FormatSummary& summary) {
  ++summary.surveyed_files;
  ++summary.records;
  ++summary.compression["none"];
  summary.surveyed_bytes += file.bytes;
  summary.uncompressed += file.bytes;
  CoverSize(file.bytes, file.bytes, summary);
}

void AddFacts(const DatasetFile& file, const FileFacts& facts, FormatSummary& summary) {
  ++summary.surveyed_files;
  summary.surveyed_bytes += file.bytes;
  summary.records += facts.records;
  summary.uncompressed += facts.uncompressed;
  ++summary.compression[facts.compression];
  summary.examples.Merge(facts.examples);
  if (facts.least <= facts.most) CoverSize(facts.least, facts.most, summary);
  if (facts.parquet) AddParquet(*facts.parquet, summary);
  for (const NamedArray& array : facts.arrays) {
    if (summary.arrays.size() < kMostArrays) summary.arrays.push_back(array);
  }
  if (facts.tar) {
    summary.tar_members += facts.tar->members;
    for (const auto& [name, count] : facts.tar->extensions) summary.tar_extensions[name] += count;
  }
}

void AddClass(const DatasetFile& file, FormatSummary& summary) {
  const size_t slash = file.name.find('/');
  if (slash == std::string::npos) return;
  const std::string_view name = std::string_view(file.name).substr(0, slash);
  // Files come in the order of their names.
  if (summary.classes.empty() || summary.classes.back() != name) summary.classes.emplace_back(name);
}

}  // namespace

DatasetSummary SummariseDataset(const std::vector<DatasetFile>& files,
                                const std::vector<std::unique_ptr<const FileFacts>>& facts) {
  DatasetSummary summary;
  summary.files = files.size();
  summary.median_file_bytes = MedianSize(files);
  std::map<DatasetFormat, FormatSummary> formats;
  for (size_t i = 0; i < files.size(); ++i) {
    const DatasetFile& file = files[i];
    summary.bytes += file.bytes;
    summary.empty_files += file.bytes == 0 ? 1 : 0;
    const auto bucket = std::ranges::upper_bound(kSizeLimits, file.bytes) - kSizeLimits.begin();
    ++summary.size_histogram[static_cast<size_t>(bucket)];
    FormatSummary& format = formats[file.format];
    format.format = file.format;
    ++format.files;
    format.bytes += file.bytes;
    if (file.format == DatasetFormat::kImage) AddClass(file, format);
    if (!facts[i]) {
      const bool whole =
          file.format == DatasetFormat::kImage || file.format == DatasetFormat::kOther;
      if (whole) AddWholeFile(file, format);
      continue;
    }
    AddFacts(file, *facts[i], format);
    summary.damage.insert(summary.damage.end(), facts[i]->damage.begin(), facts[i]->damage.end());
  }
  for (auto& [kind, format] : formats) {
    if (format.records > 0) {
      format.record_bytes_mean =
          static_cast<double>(format.surveyed_bytes) / static_cast<double>(format.records);
      format.estimated_records =
          format.surveyed_files == format.files
              ? format.records
              : static_cast<uint64_t>(static_cast<double>(format.bytes) / format.record_bytes_mean);
    }
    summary.formats.push_back(std::move(format));
  }
  std::ranges::sort(summary.formats, [](const FormatSummary& a, const FormatSummary& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.format < b.format;
  });
  summary.many_small_files = files.size() > kManyFiles && summary.median_file_bytes < kSmallFile;
  summary.small_files = !summary.many_small_files && files.size() > kSomeFiles &&
                        summary.median_file_bytes < kSmallFile;
  return summary;
}

double DatasetSummary::BytesPerRecord() const {
  const uint64_t records = Records();
  uint64_t total = 0;
  for (const FormatSummary& format : formats) total += format.records > 0 ? format.bytes : 0;
  return records == 0 ? 0 : static_cast<double>(total) / static_cast<double>(records);
}

uint64_t DatasetSummary::Records() const {
  uint64_t records = 0;
  for (const FormatSummary& format : formats) {
    // Beside real data, other files are notes and labels, not examples.
    const bool data = format.format != DatasetFormat::kOther || formats.size() == 1;
    if (data) records += format.estimated_records;
  }
  return records;
}

}  // namespace stepscope
