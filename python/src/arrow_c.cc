#include "arrow_c.h"

#include <string>
#include <utility>
#include <vector>

namespace stepscope::python {
namespace {

// What a schema points to, alive until it is released. Children are structs of their own that the
// receiver may have moved away, so they are released only if they still can be.
struct SchemaParts {
  std::string format, name;
  std::vector<std::unique_ptr<ArrowSchema>> children;
  std::vector<ArrowSchema*> pointers;
  std::unique_ptr<ArrowSchema> dictionary;
};

struct ArrayParts {
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowArray>> children;
  std::vector<ArrowArray*> pointers;
  std::unique_ptr<ArrowArray> dictionary;
  std::shared_ptr<const void> owner;
  std::vector<uint8_t> bits;
  std::vector<int64_t> offsets;
  std::string texts;
};

template <typename Struct, typename Parts>
void Release(Struct* released) {
  const std::unique_ptr<Parts> parts(static_cast<Parts*>(released->private_data));
  for (Struct* child : parts->pointers) {
    if (child->release != nullptr) child->release(child);
  }
  if (parts->dictionary && parts->dictionary->release != nullptr) {
    parts->dictionary->release(parts->dictionary.get());
  }
  released->release = nullptr;
}

void Finish(std::unique_ptr<SchemaParts> parts, ArrowSchema* out) {
  *out = {};
  out->format = parts->format.c_str();
  out->name = parts->name.c_str();
  out->n_children = static_cast<int64_t>(parts->pointers.size());
  out->children = parts->pointers.data();
  out->dictionary = parts->dictionary.get();
  out->release = Release<ArrowSchema, SchemaParts>;
  out->private_data = parts.release();
}

void Finish(std::unique_ptr<ArrayParts> parts, size_t rows, ArrowArray* out) {
  *out = {};
  out->length = static_cast<int64_t>(rows);
  out->n_buffers = static_cast<int64_t>(parts->buffers.size());
  out->buffers = parts->buffers.data();
  out->n_children = static_cast<int64_t>(parts->pointers.size());
  out->children = parts->pointers.data();
  out->dictionary = parts->dictionary.get();
  out->release = Release<ArrowArray, ArrayParts>;
  out->private_data = parts.release();
}

// Texts of a dictionary: 64-bit offsets ("U"), so that nothing is too long.
void ExportTexts(const Dictionary& dictionary, ArrowArray* out) {
  auto parts = std::make_unique<ArrayParts>();
  parts->offsets.push_back(0);
  for (const std::string_view value : dictionary.values) {
    parts->texts += value;
    parts->offsets.push_back(static_cast<int64_t>(parts->texts.size()));
  }
  parts->buffers = {nullptr, parts->offsets.data(), parts->texts.data()};
  Finish(std::move(parts), dictionary.values.size(), out);
}

std::vector<uint8_t> PackBits(const uint8_t* bytes, size_t rows) {
  std::vector<uint8_t> bits((rows + 7) / 8);
  for (size_t row = 0; row < rows; ++row) {
    if (bytes[row] != 0) bits[row / 8] |= static_cast<uint8_t>(1U << (row % 8));
  }
  return bits;
}

// Codes of texts leave the highest bit free (a byte stands for one of a few words) and go out as
// signed: pyarrow for older Pythons gives pandas no others.
const char* CodeFormatOf(ColumnType type) {
  return type == ColumnType::kUint32 ? "i" : type == ColumnType::kUint8 ? "c" : ArrowFormatOf(type);
}

struct StreamParts {
  std::shared_ptr<const TableData> table;
  size_t next = 0;
};

StreamParts& PartsOf(ArrowArrayStream* stream) {
  return *static_cast<StreamParts*>(stream->private_data);
}

}  // namespace

void ExportColumnSchema(const ColumnChunk& column, const char* name, ArrowSchema* out) {
  auto parts = std::make_unique<SchemaParts>();
  parts->format = column.dictionary ? CodeFormatOf(column.type) : ArrowFormatOf(column.type);
  parts->name = name;
  if (column.dictionary) {
    auto texts = std::make_unique<SchemaParts>();
    texts->format = "U";
    parts->dictionary = std::make_unique<ArrowSchema>();
    Finish(std::move(texts), parts->dictionary.get());
  }
  Finish(std::move(parts), out);
}

void ExportColumn(const ColumnChunk& column, ArrowArray* out) {
  auto parts = std::make_unique<ArrayParts>();
  parts->owner = column.owner;
  if (column.type == ColumnType::kBool) {
    parts->bits = PackBits(static_cast<const uint8_t*>(column.data), column.rows);
    parts->buffers = {nullptr, parts->bits.data()};
  } else {
    parts->buffers = {nullptr, column.data};
  }
  if (column.dictionary) {
    parts->dictionary = std::make_unique<ArrowArray>();
    ExportTexts(*column.dictionary, parts->dictionary.get());
  }
  Finish(std::move(parts), column.rows, out);
}

void ExportSchema(const TableData& table, ArrowSchema* out) {
  auto parts = std::make_unique<SchemaParts>();
  parts->format = "+s";
  for (size_t i = 0; i < table.names.size() && !table.chunks.empty(); ++i) {
    parts->children.push_back(std::make_unique<ArrowSchema>());
    parts->pointers.push_back(parts->children.back().get());
    ExportColumnSchema(table.chunks[0][i], table.names[i].c_str(), parts->pointers.back());
  }
  Finish(std::move(parts), out);
}

void ExportChunk(const TableData& table, size_t chunk, ArrowArray* out) {
  auto parts = std::make_unique<ArrayParts>();
  const std::vector<ColumnChunk>& columns = table.chunks[chunk];
  for (const ColumnChunk& column : columns) {
    parts->children.push_back(std::make_unique<ArrowArray>());
    parts->pointers.push_back(parts->children.back().get());
    ExportColumn(column, parts->pointers.back());
  }
  parts->buffers = {nullptr};
  Finish(std::move(parts), columns.empty() ? 0 : columns[0].rows, out);
}

void ExportStream(std::shared_ptr<const TableData> table, ArrowArrayStream* out) {
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    ExportSchema(*PartsOf(stream).table, schema);
    return 0;
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    StreamParts& parts = PartsOf(stream);
    if (parts.next == parts.table->chunks.size()) {
      *array = {};  // released: the end
    } else {
      ExportChunk(*parts.table, parts.next++, array);
    }
    return 0;
  };
  out->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  out->release = [](ArrowArrayStream* stream) {
    delete &PartsOf(stream);
    stream->release = nullptr;
  };
  out->private_data = new StreamParts{std::move(table), 0};
}

}  // namespace stepscope::python
