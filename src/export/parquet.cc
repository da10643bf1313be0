#include "export/parquet.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "export/parquet_encoding.h"
#include "export/thrift_compact.h"

namespace stepscope::exported {
namespace {

using Type = ColumnSpec::Type;

// Numbers of parquet.thrift.
enum Encoding { kPlain = 0, kRle = 3, kDelta = 5, kDictionary = 8 };
enum Page { kDataPage = 0, kDictionaryPage = 2 };
constexpr int kZstd = 6;
constexpr std::string_view kMagic = "PAR1";
constexpr uint32_t kRowsPerPage = 1U << 17;

int PhysicalType(Type type) {
  switch (type) {
    case Type::kBool:
      return 0;
    case Type::kInt:
      return 2;
    case Type::kReal:
      return 5;
    case Type::kText:
      return 6;
  }
  std::unreachable();
}

int EncodingOf(Type type) {
  return type == Type::kInt ? kDelta : type == Type::kText ? kDictionary : kPlain;
}

// A packed column of one group.
struct Chunk {
  std::string bytes;
  std::optional<size_t> dictionary_at;  // where its pages begin in `bytes`
  size_t data_at = 0;
  size_t unpacked = 0;  // with headers
  int64_t nulls = 0;
  std::optional<std::pair<int64_t, int64_t>> range;  // least, largest
  size_t file_offset = 0;
};

// One for each thread: its memory is set up once.
ZSTD_CCtx* Compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, decltype([](ZSTD_CCtx* c) { ZSTD_freeCCtx(c); })>
      compressor(ZSTD_createCCtx());
  return compressor.get();
}

class ChunkPacker {
 public:
  ChunkPacker(const ColumnSpec& spec, const ColumnData& data, uint32_t rows, int level)
      : spec_(spec), data_(data), rows_(rows), level_(level) {}

  Chunk Pack() {
    if (spec_.type == Type::kText) PackDictionary();
    chunk_.data_at = chunk_.bytes.size();
    for (uint32_t first = 0; first < rows_ || first == 0; first += kRowsPerPage) {
      PackPage(first, std::min(kRowsPerPage, rows_ - first));
    }
    return std::move(chunk_);
  }

 private:
  // Only texts that rows of this group have, in the order of their first use.
  void PackDictionary() {
    constexpr uint32_t kUnused = UINT32_MAX;
    place_.assign(data_.dictionary.size(), kUnused);
    std::string body;
    uint32_t used = 0;
    const bool nulls = !data_.valid.empty();
    for (uint32_t row = 0; row < rows_; ++row) {
      if (nulls && data_.valid[row] == 0) continue;
      uint32_t& place = place_[data_.codes[row]];
      if (place != kUnused) [[likely]]
        continue;
      place = used++;
      const std::string text = ValidUtf8(data_.dictionary[data_.codes[row]]);
      AppendLittleEndian(body, static_cast<uint32_t>(text.size()));
      body += text;
    }
    width_ = WidthOfCodes(used);
    chunk_.dictionary_at = 0;
    AddPage(kDictionaryPage, used, body);
  }

  void PackPage(uint32_t first, uint32_t count) {
    std::string body;
    if (spec_.nullable) {
      AppendLevels(data_.valid.empty() ? std::span<const uint8_t>()
                                       : std::span(data_.valid).subspan(first, count),
                   count, body);
    }
    switch (spec_.type) {
      case Type::kInt:
        PackIntegers(first, count, body);
        break;
      case Type::kReal:
        for (const double value : Present(data_.reals, first, count, reals_)) {
          AppendLittleEndian(body, value);
        }
        break;
      case Type::kBool: {
        const std::span<const uint8_t> truths = Present(data_.truths, first, count, truths_);
        PackBits(std::vector<uint32_t>(truths.begin(), truths.end()), 1, body);
        break;
      }
      case Type::kText: {
        std::vector<uint32_t> codes;
        codes.reserve(count);
        for (const uint32_t code : Present(data_.codes, first, count, codes_)) {
          codes.push_back(place_[code]);
        }
        body += static_cast<char>(width_);
        AppendBitPackedRun(codes, width_, body);
        break;
      }
    }
    AddPage(kDataPage, count, body);
  }

  void PackIntegers(uint32_t first, uint32_t count, std::string& body) {
    const std::span<const int64_t> values = Present(data_.integers, first, count, integers_);
    if (!values.empty()) {
      const auto [least, most] = std::ranges::minmax(values);
      chunk_.range = chunk_.range ? std::pair(std::min(least, chunk_.range->first),
                                              std::max(most, chunk_.range->second))
                                  : std::pair(least, most);
    }
    AppendDeltas(values, body);
  }

  // The values that are there; `kept` holds them where some are not.
  template <typename T>
  std::span<const T> Present(const std::vector<T>& values, uint32_t first, uint32_t count,
                             std::vector<T>& kept) {
    const std::span<const T> all = std::span(values).subspan(first, count);
    if (data_.valid.empty()) return all;
    kept.clear();
    kept.reserve(count);
    for (uint32_t i = 0; i < count; ++i) {
      if (data_.valid[first + i] != 0) kept.push_back(all[i]);
    }
    chunk_.nulls += static_cast<int64_t>(count - kept.size());
    return kept;
  }

  void AddPage(Page kind, uint32_t values, const std::string& body) {
    packed_.resize(std::max(packed_.size(), ZSTD_compressBound(body.size())));
    const std::string_view packed(
        packed_.data(), ZSTD_compressCCtx(Compressor(), packed_.data(), packed_.size(), body.data(),
                                          body.size(), level_));
    std::string header;
    ThriftCompact thrift(header);
    thrift.I32(1, kind);
    thrift.I32(2, static_cast<int32_t>(body.size()));
    thrift.I32(3, static_cast<int32_t>(packed.size()));
    thrift.Begin(kind == kDataPage ? 5 : 7);
    thrift.I32(1, static_cast<int32_t>(values));
    if (kind == kDataPage) {
      thrift.I32(2, EncodingOf(spec_.type));
      thrift.I32(3, kRle);
      thrift.I32(4, kRle);
    } else {
      thrift.I32(2, kPlain);
    }
    thrift.End();
    header += '\0';
    chunk_.unpacked += header.size() + body.size();
    chunk_.bytes += header;
    chunk_.bytes += packed;
  }

  const ColumnSpec& spec_;
  const ColumnData& data_;
  const uint32_t rows_;
  const int level_;
  Chunk chunk_;
  std::string packed_;
  std::vector<uint32_t> place_;  // by code: place in the group's dictionary
  unsigned width_ = 1;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<uint8_t> truths_;
  std::vector<uint32_t> codes_;
};

struct Group {
  uint32_t rows = 0;
  std::vector<Chunk> chunks;   // without their bytes once they are written
  std::vector<size_t> packed;  // bytes of each
};

void WriteStatistics(const Chunk& chunk, ThriftCompact& thrift) {
  thrift.Begin(12);
  thrift.I64(3, chunk.nulls);
  if (chunk.range) {
    const auto bytes = [](const int64_t& value) {
      return std::string_view(reinterpret_cast<const char*>(&value), sizeof value);
    };
    thrift.Text(5, bytes(chunk.range->second));
    thrift.Text(6, bytes(chunk.range->first));
  }
  thrift.End();
}

void WriteColumnChunk(const ColumnSpec& spec, const Chunk& chunk, size_t packed, uint32_t rows,
                      ThriftCompact& thrift) {
  thrift.BeginInList();
  thrift.I64(2, 0);
  thrift.Begin(3);
  thrift.I32(1, PhysicalType(spec.type));
  thrift.List(2, ThriftCompact::Element::kI32, spec.type == Type::kText ? 3 : 2);
  thrift.I32InList(EncodingOf(spec.type));
  if (spec.type == Type::kText) thrift.I32InList(kPlain);
  thrift.I32InList(kRle);
  thrift.List(3, ThriftCompact::Element::kText, 1);
  thrift.TextInList(spec.name);
  thrift.I32(4, kZstd);
  thrift.I64(5, rows);
  thrift.I64(6, static_cast<int64_t>(chunk.unpacked));
  thrift.I64(7, static_cast<int64_t>(packed));
  thrift.I64(9, static_cast<int64_t>(chunk.file_offset + chunk.data_at));
  if (chunk.dictionary_at) {
    thrift.I64(11, static_cast<int64_t>(chunk.file_offset + *chunk.dictionary_at));
  }
  WriteStatistics(chunk, thrift);
  thrift.End();
  thrift.End();
}

void WriteSchema(const TableSource& table, ThriftCompact& thrift) {
  thrift.List(2, ThriftCompact::Element::kStruct, table.columns().size() + 1);
  thrift.BeginInList();
  thrift.Text(4, "schema");
  thrift.I32(5, static_cast<int32_t>(table.columns().size()));
  thrift.End();
  for (const ColumnSpec& spec : table.columns()) {
    thrift.BeginInList();
    thrift.I32(1, PhysicalType(spec.type));
    thrift.I32(3, spec.nullable ? 1 : 0);
    thrift.Text(4, spec.name);
    if (spec.type == Type::kText) {
      thrift.I32(6, 0);  // UTF8
      thrift.Begin(10);
      thrift.Begin(1);  // STRING
      thrift.End();
      thrift.End();
    }
    thrift.End();
  }
}

std::string Footer(const TableSource& table, const std::vector<Group>& groups,
                   const ParquetOptions& options) {
  std::string footer;
  ThriftCompact thrift(footer);
  thrift.I32(1, 2);
  WriteSchema(table, thrift);
  thrift.I64(3, static_cast<int64_t>(table.rows()));
  thrift.List(4, ThriftCompact::Element::kStruct, groups.size());
  for (const Group& group : groups) {
    int64_t unpacked = 0;
    for (const Chunk& chunk : group.chunks) unpacked += static_cast<int64_t>(chunk.unpacked);
    thrift.BeginInList();
    thrift.List(1, ThriftCompact::Element::kStruct, group.chunks.size());
    for (size_t i = 0; i < group.chunks.size(); ++i) {
      WriteColumnChunk(table.columns()[i], group.chunks[i], group.packed[i], group.rows, thrift);
    }
    thrift.I64(2, unpacked);
    thrift.I64(3, group.rows);
    thrift.End();
  }
  if (!options.metadata.empty()) {
    thrift.List(5, ThriftCompact::Element::kStruct, options.metadata.size());
    for (const auto& [key, value] : options.metadata) {
      thrift.BeginInList();
      thrift.Text(1, key);
      thrift.Text(2, ValidUtf8(value));
      thrift.End();
    }
  }
  thrift.Text(6, "stepscope version " STEPSCOPE_VERSION);
  // Readers trust least and largest values only where the order is stated.
  thrift.List(7, ThriftCompact::Element::kStruct, table.columns().size());
  for (size_t i = 0; i < table.columns().size(); ++i) {
    thrift.BeginInList();
    thrift.Begin(1);
    thrift.End();
    thrift.End();
  }
  footer += '\0';
  AppendLittleEndian(footer, static_cast<uint32_t>(footer.size()));
  footer += kMagic;
  return footer;
}

}  // namespace

Result<void> WriteParquet(const TableSource& table, const ParquetOptions& options, TaskPool& pool,
                          ByteSink& sink) {
  if (Result<void> written = sink.Write(kMagic); !written) return written;
  size_t offset = kMagic.size();
  std::vector<Group> groups;
  for (uint64_t first = 0; first < table.rows(); first += options.rows_per_group) {
    Group& group = groups.emplace_back();
    group.rows =
        static_cast<uint32_t>(std::min<uint64_t>(options.rows_per_group, table.rows() - first));
    group.chunks.resize(table.columns().size());
    pool.ForEach(table.columns().size(), [&](size_t column) {
      ColumnData data;
      table.Fill(column, first, group.rows, data);
      group.chunks[column] =
          ChunkPacker(table.columns()[column], data, group.rows, options.level).Pack();
    });
    for (Chunk& chunk : group.chunks) {
      chunk.file_offset = offset;
      offset += chunk.bytes.size();
      group.packed.push_back(chunk.bytes.size());
      if (Result<void> written = sink.Write(chunk.bytes); !written) return written;
      chunk.bytes = {};
    }
  }
  return sink.Write(Footer(table, groups, options));
}

}  // namespace stepscope::exported
