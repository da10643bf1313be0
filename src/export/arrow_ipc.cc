#include "export/arrow_ipc.h"

#include <algorithm>
#include <span>

#include "base/string_table.h"
#include "export/flat_buffer.h"
#include "export/parquet_encoding.h"

// Slots of tables are those of Message.fbs, Schema.fbs and File.fbs of Apache Arrow, in the order
// of their declaration; a union takes two.
namespace stepscope::exported {
namespace {

using Type = ColumnSpec::Type;

constexpr std::string_view kMagic = "ARROW1";
constexpr int16_t kVersion5 = 4;
constexpr uint32_t kRowsPerBatch = 1U << 17;
constexpr size_t kBodyAlignment = 64;
enum class Header : uint8_t { kSchema = 1, kDictionaryBatch = 2, kRecordBatch = 3 };
enum class TypeId : uint8_t { kInt = 2, kFloatingPoint = 3, kUtf8 = 5, kBool = 6 };

// Where a message lies in the file.
struct Block {
  int64_t offset = 0;
  int32_t metadata = 0;
  int32_t padding = 0;
  int64_t body = 0;
};
static_assert(sizeof(Block) == 24);

struct Node {
  int64_t length = 0, nulls = 0;
};
struct Buffer {
  int64_t offset = 0, length = 0;
};

// The buffers of a batch one after another.
class Body {
 public:
  void Add(std::string_view bytes) {
    buffers_.push_back({static_cast<int64_t>(bytes_.size()), static_cast<int64_t>(bytes.size())});
    bytes_ += bytes;
    bytes_.resize((bytes_.size() + kBodyAlignment - 1) / kBodyAlignment * kBodyAlignment, '\0');
  }
  template <typename T>
  void Add(std::span<const T> values) {
    Add(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  }
  void AddNode(size_t length, size_t nulls) {
    nodes_.push_back({static_cast<int64_t>(length), static_cast<int64_t>(nulls)});
  }
  FlatBuffer::Offset RecordBatch(size_t length, FlatBuffer& flat) const {
    const FlatBuffer::Offset buffers = flat.Vector(BytesOf(buffers_), buffers_.size(), 8);
    const FlatBuffer::Offset nodes = flat.Vector(BytesOf(nodes_), nodes_.size(), 8);
    flat.BeginTable(3);
    flat.Scalar(0, static_cast<int64_t>(length));
    flat.Field(1, nodes);
    flat.Field(2, buffers);
    return flat.EndTable();
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  static std::string_view BytesOf(const std::vector<T>& items) {
    return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
  }
  std::string bytes_;
  std::vector<Buffer> buffers_;
  std::vector<Node> nodes_;
};

std::string Bits(std::span<const uint8_t> truths) {
  std::string bits((truths.size() + 7) / 8, '\0');
  for (size_t i = 0; i < truths.size(); ++i) {
    if (truths[i] != 0) bits[i / 8] = static_cast<char>(bits[i / 8] | (1 << (i % 8)));
  }
  return bits;
}

FlatBuffer::Offset IntType(int32_t bits, bool is_signed, FlatBuffer& flat) {
  flat.BeginTable(2);
  flat.Scalar(0, bits);
  flat.Scalar(1, static_cast<uint8_t>(is_signed));
  return flat.EndTable();
}

FlatBuffer::Offset FieldOf(const ColumnSpec& spec, int64_t id, FlatBuffer& flat) {
  const FlatBuffer::Offset name = flat.Text(spec.name);
  const FlatBuffer::Offset children = flat.Offsets({});
  FlatBuffer::Offset type = 0, dictionary = 0;
  TypeId type_id = TypeId::kInt;
  switch (spec.type) {
    case Type::kInt:
      type = IntType(64, true, flat);
      break;
    case Type::kReal:
      type_id = TypeId::kFloatingPoint;
      flat.BeginTable(1);
      flat.Scalar(0, int16_t{2});  // double
      type = flat.EndTable();
      break;
    case Type::kBool:
    case Type::kText:
      type_id = spec.type == Type::kBool ? TypeId::kBool : TypeId::kUtf8;
      flat.BeginTable(0);
      type = flat.EndTable();
      break;
  }
  if (spec.type == Type::kText) {
    const FlatBuffer::Offset index = IntType(32, false, flat);
    flat.BeginTable(2);
    flat.Scalar(0, id);
    flat.Field(1, index);
    dictionary = flat.EndTable();
  }
  flat.BeginTable(6);
  flat.Field(0, name);
  flat.Scalar(1, static_cast<uint8_t>(spec.nullable));
  flat.Scalar(2, static_cast<uint8_t>(type_id));
  flat.Field(3, type);
  if (dictionary != 0) flat.Field(4, dictionary);
  flat.Field(5, children);
  return flat.EndTable();
}

FlatBuffer::Offset SchemaOf(const TableSource& table, FlatBuffer& flat) {
  std::vector<FlatBuffer::Offset> fields;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    fields.push_back(FieldOf(table.columns()[i], static_cast<int64_t>(i), flat));
  }
  const FlatBuffer::Offset list = flat.Offsets(fields);
  flat.BeginTable(2);
  flat.Scalar(0, int16_t{0});  // little endian
  flat.Field(1, list);
  return flat.EndTable();
}

class ArrowFile {
 public:
  ArrowFile(const TableSource& table, ByteSink& sink)
      : table_(table), sink_(sink), texts_(table.columns().size()) {}

  Result<void> Write() {
    Put(std::string(kMagic) + std::string(2, '\0'));
    FlatBuffer schema;
    const FlatBuffer::Offset root = SchemaOf(table_, schema);
    Message(schema, Header::kSchema, root, {});
    for (size_t i = 0; i < texts_.size(); ++i) {
      if (table_.columns()[i].type == Type::kText) WriteDictionary(i);
    }
    for (uint64_t first = 0; first < table_.rows() && written_; first += kRowsPerBatch) {
      WriteBatch(first,
                 static_cast<uint32_t>(std::min<uint64_t>(kRowsPerBatch, table_.rows() - first)));
    }
    WriteFooter();
    return written_;
  }

 private:
  void Put(std::string_view bytes) {
    if (written_) written_ = sink_.Write(bytes);
    offset_ += static_cast<int64_t>(bytes.size());
  }

  Block Message(FlatBuffer& flat, Header kind, FlatBuffer::Offset header, std::string_view body) {
    flat.BeginTable(4);
    flat.Scalar(3, static_cast<int64_t>(body.size()));
    flat.Field(2, header);
    flat.Scalar(0, kVersion5);
    flat.Scalar(1, static_cast<uint8_t>(kind));
    const std::string metadata = flat.Finish(flat.EndTable());
    Block block{offset_, static_cast<int32_t>(metadata.size() + 8), 0,
                static_cast<int64_t>(body.size())};
    std::string start;
    AppendLittleEndian(start, uint32_t{0xFFFFFFFF});
    AppendLittleEndian(start, static_cast<int32_t>(metadata.size()));
    Put(start + metadata);
    Put(body);
    return block;
  }

  // The place of each text of a stretch in the dictionary of its column.
  std::vector<uint32_t> Places(size_t column, const ColumnData& data) {
    constexpr uint32_t kUnknown = UINT32_MAX;
    std::vector<uint32_t> place(data.dictionary.size(), kUnknown), places;
    places.reserve(data.codes.size());
    for (size_t row = 0; row < data.codes.size(); ++row) {
      if (data.IsNull(row)) {
        places.push_back(0);
        continue;
      }
      uint32_t& known = place[data.codes[row]];
      if (known == kUnknown) known = Index(texts_[column].Intern(data.dictionary[data.codes[row]]));
      places.push_back(known);
    }
    return places;
  }

  void WriteDictionary(size_t column) {
    ColumnData data;
    for (uint64_t first = 0; first < table_.rows(); first += kRowsPerBatch) {
      table_.Fill(column, first,
                  static_cast<uint32_t>(std::min<uint64_t>(kRowsPerBatch, table_.rows() - first)),
                  data);
      Places(column, data);
    }
    std::vector<int32_t> offsets{0};
    std::string all;
    const StringTable& texts = texts_[column];
    for (uint32_t id = 0; id < texts.size(); ++id) {
      all += ValidUtf8(texts[StringId{id}]);
      offsets.push_back(static_cast<int32_t>(all.size()));
    }
    Body body;
    body.AddNode(texts.size(), 0);
    body.Add(std::string_view());
    body.Add(std::span<const int32_t>(offsets));
    body.Add(all);
    FlatBuffer flat;
    const FlatBuffer::Offset batch = body.RecordBatch(texts.size(), flat);
    flat.BeginTable(2);
    flat.Scalar(0, static_cast<int64_t>(column));
    flat.Field(1, batch);
    const FlatBuffer::Offset header = flat.EndTable();
    dictionaries_.push_back(Message(flat, Header::kDictionaryBatch, header, body.bytes()));
  }

  void WriteBatch(uint64_t first, uint32_t count) {
    Body body;
    ColumnData data;
    for (size_t i = 0; i < table_.columns().size(); ++i) {
      table_.Fill(i, first, count, data);
      const auto nulls = static_cast<size_t>(std::ranges::count(data.valid, uint8_t{0}));
      body.AddNode(count, nulls);
      body.Add(nulls == 0 ? std::string() : Bits(data.valid));
      switch (table_.columns()[i].type) {
        case Type::kInt:
          body.Add(std::span<const int64_t>(data.integers));
          break;
        case Type::kReal:
          body.Add(std::span<const double>(data.reals));
          break;
        case Type::kBool:
          body.Add(Bits(data.truths));
          break;
        case Type::kText:
          body.Add(std::span<const uint32_t>(Places(i, data)));
          break;
      }
    }
    FlatBuffer flat;
    const FlatBuffer::Offset header = body.RecordBatch(count, flat);
    batches_.push_back(Message(flat, Header::kRecordBatch, header, body.bytes()));
  }

  void WriteFooter() {
    std::string end;
    AppendLittleEndian(end, uint32_t{0xFFFFFFFF});
    AppendLittleEndian(end, uint32_t{0});
    FlatBuffer flat;
    const auto blocks = [&](const std::vector<Block>& list) {
      return flat.Vector({reinterpret_cast<const char*>(list.data()), list.size() * sizeof(Block)},
                         list.size(), 8);
    };
    const FlatBuffer::Offset schema = SchemaOf(table_, flat);
    const FlatBuffer::Offset dictionaries = blocks(dictionaries_);
    const FlatBuffer::Offset batches = blocks(batches_);
    flat.BeginTable(4);
    flat.Scalar(0, kVersion5);
    flat.Field(1, schema);
    flat.Field(2, dictionaries);
    flat.Field(3, batches);
    const std::string footer = flat.Finish(flat.EndTable());
    end += footer;
    AppendLittleEndian(end, static_cast<int32_t>(footer.size()));
    end += kMagic;
    Put(end);
  }

  const TableSource& table_;
  ByteSink& sink_;
  std::vector<StringTable> texts_;  // by column
  std::vector<Block> dictionaries_, batches_;
  int64_t offset_ = 0;
  Result<void> written_;
};

}  // namespace

Result<void> WriteArrow(const TableSource& table, ByteSink& sink) {
  return ArrowFile(table, sink).Write();
}

}  // namespace stepscope::exported
