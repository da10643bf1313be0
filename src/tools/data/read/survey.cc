#include "tools/data/read/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "io/tfrecord.h"
#include "words/data.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts, kDataTexts> Say;

void AddRecord(uint64_t bytes, FileFacts& facts) {
  ++facts.records;
  facts.record_bytes += bytes;
  facts.least = std::min(facts.least, bytes);
  facts.most = std::max(facts.most, bytes);
}

void AddDamage(const DatasetFile& file, const Error& error, FileFacts& facts) {
  facts.damage.push_back({file.path, error.offset.value_or(0), error.sentence});
}

void SurveyRecords(const DatasetFile& file, const SurveyOptions& options, FileFacts& facts) {
  const Result<RecordFile> opened = OpenRecordFile(file.path);
  if (!opened) return AddDamage(file, opened.error(), facts);
  facts.compression = NameOf(opened->compression);
  RecordStream records(*opened->bytes);
  uint64_t told = 0;
  const auto tell = [&](uint64_t least_news) {
    const uint64_t position = opened->bytes->compressed_position();
    if (!options.read_bytes || position - told < least_news) return;
    options.read_bytes(position - told);
    told = position;
  };
  for (;;) {
    const RecordStream::Outcome outcome = records.Next();
    if (outcome == RecordStream::Outcome::kEnd) break;
    if (outcome == RecordStream::Outcome::kDamage) {
      const RecordDamage& damage = records.damage();
      facts.damage.push_back(
          {file.path, damage.offset, Say("nan.skipped", SentenceOf(damage.kind), damage.skipped)});
      continue;
    }
    AddRecord(records.data().size(), facts);
    if (facts.records <= options.examples_per_file) facts.examples.Add(records.data());
    tell(uint64_t{4} << 20);
  }
  facts.cut_bytes = records.cut_bytes();
  facts.uncompressed = records.position();
  if (facts.cut_bytes > 0) {
    facts.damage.push_back(
        {file.path, records.cut_offset(), Say("data.cut-record", facts.cut_bytes)});
  }
  tell(1);
}

void SurveyParquet(const DatasetFile& file, FileFacts& facts) {
  Result<ParquetFooter> footer = ReadParquetFooter(file.path);
  if (!footer) return AddDamage(file, footer.error(), facts);
  facts.records = footer->rows > 0 ? static_cast<uint64_t>(footer->rows) : 0;
  for (const ParquetFooter::Column& column : footer->columns) {
    facts.uncompressed += column.uncompressed;
    facts.record_bytes += column.compressed;
    facts.compression = column.codec;
  }
  facts.parquet = std::move(*footer);
}

uint64_t RowsOf(const std::vector<int64_t>& shape) {
  if (shape.empty()) return 1;
  return shape[0] > 0 ? static_cast<uint64_t>(shape[0]) : 0;
}

// What the header says the array has; nothing where its type has no size that is known here.
std::optional<uint64_t> BytesOf(const NpyHeader& header) {
  const size_t digits = header.type.find_first_of("0123456789");
  uint64_t bytes = 0;
  if (digits == std::string::npos ||
      std::from_chars(header.type.data() + digits, header.type.data() + header.type.size(), bytes)
              .ptr != header.type.data() + header.type.size()) {
    return std::nullopt;
  }
  if (header.type.find('U') != std::string::npos) bytes *= 4;  // UCS-4
  for (const int64_t dim : header.shape) {
    if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

void SurveyNpy(const DatasetFile& file, FileFacts& facts) {
  const Result<NpyHeader> header = ReadNpyHeader(file.path);
  if (!header) return AddDamage(file, header.error(), facts);
  facts.records = RowsOf(header->shape);
  facts.record_bytes = facts.uncompressed = file.bytes - std::min(file.bytes, header->header_bytes);
  facts.arrays.push_back({file.name, header->type, header->shape, facts.record_bytes});
  const std::optional<uint64_t> wanted = BytesOf(*header);
  if (wanted && facts.record_bytes < *wanted) {
    facts.damage.push_back(
        {file.path, file.bytes, Say("data.cut-array", facts.record_bytes, *wanted)});
  }
}

void SurveyNpz(const DatasetFile& file, FileFacts& facts) {
  const Result<std::vector<ZipMember>> members = ReadZipDirectory(file.path);
  if (!members) return AddDamage(file, members.error(), facts);
  for (const ZipMember& member : *members) {
    facts.uncompressed += member.uncompressed;
    facts.record_bytes += member.compressed;
    if (member.deflated) facts.compression = "deflate";
    facts.arrays.push_back({member.name, "", {}, member.uncompressed});
  }
  facts.records = members->size();
}

void SurveyTar(const DatasetFile& file, FileFacts& facts) {
  Result<TarIndex> index = IndexTar(file.path);
  if (!index) return AddDamage(file, index.error(), facts);
  facts.records = index->samples;
  facts.record_bytes = facts.uncompressed = index->bytes;
  facts.compression = index->compression;
  if (index->damaged_at) {
    facts.damage.push_back({file.path, *index->damaged_at, Say("data.tar-checksum")});
  }
  if (index->cut) {
    facts.damage.push_back({file.path, file.bytes, Say("data.tar-cut")});
  }
  facts.tar = std::move(*index);
}

}  // namespace

FileFacts SurveyFile(const DatasetFile& file, const SurveyOptions& options) {
  FileFacts facts;
  switch (file.format) {
    case DatasetFormat::kTfRecord:
      SurveyRecords(file, options, facts);
      break;
    case DatasetFormat::kParquet:
      SurveyParquet(file, facts);
      break;
    case DatasetFormat::kNpy:
      SurveyNpy(file, facts);
      break;
    case DatasetFormat::kNpz:
      SurveyNpz(file, facts);
      break;
    case DatasetFormat::kTar:
      SurveyTar(file, facts);
      break;
    case DatasetFormat::kImage:
    case DatasetFormat::kOther:
      break;
  }
  return facts;
}

}  // namespace stepscope
