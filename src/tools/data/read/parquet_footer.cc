#include "tools/data/read/parquet_footer.h"

#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <span>

#include "io/input_files.h"
#include "tools/data/read/thrift_compact.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

using Type = ThriftReader::Type;

std::string NameIn(std::span<const char* const> names, int64_t at) {
  return at >= 0 && static_cast<size_t>(at) < names.size() ? names[static_cast<size_t>(at)]
                                                           : "type " + std::to_string(at);
}
std::string TypeName(int64_t type) {
  static constexpr std::array kNames{"boolean", "int32",  "int64",      "int96",
                                     "float",   "double", "byte_array", "fixed_len_byte_array"};
  return NameIn(kNames, type);
}
std::string CodecName(int64_t codec) {
  static constexpr std::array kNames{"none",   "snappy", "gzip", "lzo",
                                     "brotli", "lz4",    "zstd", "lz4_raw"};
  return NameIn(kNames, codec);
}

// Calls on_field(number, type) for each field of a struct; it reads the value or returns false to
// have it skipped.
template <typename OnField>
void WalkStruct(ThriftReader& reader, OnField&& on_field) {
  int16_t field = 0;
  Type type{};
  while (reader.NextField(field, type)) {
    if (!on_field(field, type)) reader.Skip(type);
  }
}

class FooterReader {
 public:
  explicit FooterReader(std::string_view bytes) : reader_(bytes) {}

  Result<ParquetFooter> Read() {
    WalkStruct(reader_, [&](int16_t field, Type type) {
      if (field == 3 && type == Type::kI64) {
        footer_.rows = reader_.Signed();
      } else if (field == 4 && type == Type::kList) {
        RowGroups();
      } else if (field == 6 && type == Type::kBinary) {
        footer_.created_by = reader_.Binary();
      } else {
        return false;
      }
      return true;
    });
    if (reader_.ok()) return std::move(footer_);
    return std::unexpected(Error{ErrorCode::kDamaged,
                                 Say("data.parquet-damaged"),
                                 {},
                                 reader_.offset(),
                                 Say("data.write-again")});
  }

 private:
  void RowGroups() {
    Type element{};
    const uint64_t count = reader_.List(element);
    if (element != Type::kStruct) return;
    for (uint64_t i = 0; i < count && reader_.ok(); ++i) {
      ++footer_.row_groups;
      WalkStruct(reader_, [&](int16_t field, Type type) {
        if (field != 1 || type != Type::kList) return false;
        Columns();
        return true;
      });
    }
  }
  void Columns() {
    Type element{};
    const uint64_t count = reader_.List(element);
    if (element != Type::kStruct) return;
    for (uint64_t i = 0; i < count && reader_.ok(); ++i) {
      WalkStruct(reader_, [&](int16_t field, Type type) {
        if (field != 3 || type != Type::kStruct) return false;
        ColumnMetaData();
        return true;
      });
    }
  }
  std::string Path() {
    Type element{};
    const uint64_t count = reader_.List(element);
    std::string path;
    for (uint64_t i = 0; i < count && reader_.ok(); ++i) {
      if (element != Type::kBinary) {
        reader_.Skip(element);
        continue;
      }
      if (!path.empty()) path += '.';
      path += reader_.Binary();
    }
    return path;
  }
  void ColumnMetaData() {
    ParquetFooter::Column column;
    WalkStruct(reader_, [&](int16_t field, Type type) {
      const bool number = type == Type::kI32 || type == Type::kI64;
      if (field == 3 && type == Type::kList) {
        column.path = Path();
        return true;
      }
      if (!number) return false;
      const int64_t value = reader_.Signed();
      const uint64_t size = value > 0 ? static_cast<uint64_t>(value) : 0;
      if (field == 1) column.type = TypeName(value);
      if (field == 4) column.codec = CodecName(value);
      if (field == 5) column.values = size;
      if (field == 6) column.uncompressed = size;
      if (field == 7) column.compressed = size;
      return true;
    });
    const auto [at, is_new] = index_.try_emplace(column.path, footer_.columns.size());
    if (is_new) {
      footer_.columns.push_back(std::move(column));
      return;
    }
    ParquetFooter::Column& known = footer_.columns[at->second];
    known.values += column.values;
    known.compressed += column.compressed;
    known.uncompressed += column.uncompressed;
  }

  ThriftReader reader_;
  ParquetFooter footer_;
  std::map<std::string, size_t> index_;
};

}  // namespace

Result<ParquetFooter> ParseParquetFooter(std::string_view metadata) {
  return FooterReader(metadata).Read();
}

Result<ParquetFooter> ReadParquetFooter(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return Fail(ErrorCode::kCannotRead, Say("data.cannot-open"), path);
  NoteInput(path);
  const auto size = static_cast<uint64_t>(file.tellg());
  std::array<char, 8> tail;
  const auto damaged = [&](Message sentence) {
    return std::unexpected(Error{ErrorCode::kDamaged, std::move(sentence), path,
                                 size < tail.size() ? 0 : size - tail.size(),
                                 Say("data.copy-again")});
  };
  if (size < 12) return damaged(Say("data.parquet-short"));
  file.seekg(static_cast<std::streamoff>(size - tail.size()));
  file.read(tail.data(), tail.size());
  uint32_t length = 0;
  std::memcpy(&length, tail.data(), sizeof length);
  const std::string_view magic(tail.data() + 4, 4);
  if (magic == "PARE") return Fail(ErrorCode::kUnsupported, Say("data.parquet-encrypted"), path);
  if (magic != "PAR1") return damaged(Say("data.parquet-no-end"));
  if (length > size - 12) return damaged(Say("data.parquet-long"));
  std::string metadata(length, '\0');
  file.seekg(static_cast<std::streamoff>(size - tail.size() - length));
  if (!file.read(metadata.data(), length)) return damaged(Say("data.parquet-unread"));
  Result<ParquetFooter> footer = ParseParquetFooter(metadata);
  if (!footer) footer.error().file = path;
  return footer;
}

}  // namespace stepscope
