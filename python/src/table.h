#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::python {

enum class ColumnType : uint8_t {
  kInt64,
  kInt32,
  kUint32,
  kUint16,
  kUint8,
  kBool,    // one byte per row, 0 or 1
  kDouble,  // NaN where nothing is known
};
size_t BytesOf(ColumnType type);
// As struct and memoryview spell it: "q", "i", …
const char* BufferFormatOf(ColumnType type);
// As Arrow's C data interface spells it: "l", "i", …
const char* ArrowFormatOf(ColumnType type);

// The texts that the codes of a column stand for. Borrowed views.
struct Dictionary {
  std::vector<std::string_view> values;
  std::shared_ptr<const void> owner;
};

// One column of one chunk: contiguous values that somebody else owns and nobody changes. With a
// dictionary the values are codes into it.
struct ColumnChunk {
  ColumnType type = ColumnType::kInt64;
  const void* data = nullptr;
  size_t rows = 0;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const Dictionary> dictionary;
};

// A table as chunks of columns, one chunk per trace: columns of the engine are shown as they lie in
// memory. Every chunk has all columns, in the order of `names`.
struct TableData {
  std::vector<std::string> names;
  std::vector<std::vector<ColumnChunk>> chunks;

  size_t rows() const;
};

// Makes the columns of one chunk, row by row or whole.
class ChunkMaker {
 public:
  explicit ChunkMaker(std::shared_ptr<const void> owner) : owner_(std::move(owner)) {}

  // Shows memory that the owner keeps.
  void Borrow(std::string name, ColumnType type, const void* data, size_t rows,
              std::shared_ptr<const Dictionary> dictionary = nullptr) {
    Add(std::move(name), {type, data, rows, owner_, std::move(dictionary)});
  }
  void Int64(std::string name, std::vector<int64_t> values);
  void Uint32(std::string name, std::vector<uint32_t> values,
              std::shared_ptr<const Dictionary> dictionary = nullptr);
  void Bool(std::string name, std::vector<uint8_t> values);
  void Double(std::string name, std::vector<double> values);
  // Texts that the owner keeps, or that live for ever.
  void Text(std::string name, const std::vector<std::string_view>& values);
  void OwnText(std::string name, std::vector<std::string> values);

  std::vector<std::string> names;
  std::vector<ColumnChunk> columns;

 private:
  void Add(std::string name, ColumnChunk column);
  void AddText(std::string name, const std::vector<std::string_view>& values,
               std::shared_ptr<const void> owner);

  std::shared_ptr<const void> owner_;
};

}  // namespace stepscope::python
