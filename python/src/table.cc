#include "table.h"

#include <unordered_map>
#include <utility>

namespace stepscope::python {
namespace {

struct TypeFacts {
  size_t bytes;
  const char* buffer;
  const char* arrow;
};

const TypeFacts& FactsOf(ColumnType type) {
  // In the order of the enum.
  static constexpr TypeFacts kFacts[] = {
      {8, "q", "l"}, {4, "i", "i"}, {4, "I", "I"}, {2, "H", "S"},
      {1, "B", "C"}, {1, "?", "b"}, {8, "d", "g"},
  };
  return kFacts[static_cast<size_t>(type)];
}

// A vector that columns can point into and keep alive.
template <typename T>
ColumnChunk Keep(ColumnType type, std::vector<T> values) {
  auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return {type, kept->data(), kept->size(), kept, nullptr};
}

}  // namespace

size_t BytesOf(ColumnType type) { return FactsOf(type).bytes; }
const char* BufferFormatOf(ColumnType type) { return FactsOf(type).buffer; }
const char* ArrowFormatOf(ColumnType type) { return FactsOf(type).arrow; }

size_t TableData::rows() const {
  size_t sum = 0;
  for (const std::vector<ColumnChunk>& chunk : chunks) sum += chunk.empty() ? 0 : chunk[0].rows;
  return sum;
}

void ChunkMaker::Add(std::string name, ColumnChunk column) {
  names.push_back(std::move(name));
  columns.push_back(std::move(column));
}

void ChunkMaker::Int64(std::string name, std::vector<int64_t> values) {
  Add(std::move(name), Keep(ColumnType::kInt64, std::move(values)));
}

void ChunkMaker::Uint32(std::string name, std::vector<uint32_t> values,
                        std::shared_ptr<const Dictionary> dictionary) {
  ColumnChunk column = Keep(ColumnType::kUint32, std::move(values));
  column.dictionary = std::move(dictionary);
  Add(std::move(name), std::move(column));
}

void ChunkMaker::Bool(std::string name, std::vector<uint8_t> values) {
  Add(std::move(name), Keep(ColumnType::kBool, std::move(values)));
}

void ChunkMaker::Double(std::string name, std::vector<double> values) {
  Add(std::move(name), Keep(ColumnType::kDouble, std::move(values)));
}

void ChunkMaker::Text(std::string name, const std::vector<std::string_view>& values) {
  AddText(std::move(name), values, owner_);
}

void ChunkMaker::OwnText(std::string name, std::vector<std::string> values) {
  auto kept = std::make_shared<const std::vector<std::string>>(std::move(values));
  AddText(std::move(name), {kept->begin(), kept->end()}, kept);
}

void ChunkMaker::AddText(std::string name, const std::vector<std::string_view>& values,
                         std::shared_ptr<const void> owner) {
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->owner = std::move(owner);
  std::unordered_map<std::string_view, uint32_t> known;
  std::vector<uint32_t> codes;
  codes.reserve(values.size());
  for (const std::string_view value : values) {
    const auto [at, added] = known.emplace(value, static_cast<uint32_t>(known.size()));
    if (added) dictionary->values.push_back(value);
    codes.push_back(at->second);
  }
  Uint32(std::move(name), std::move(codes), std::move(dictionary));
}

}  // namespace stepscope::python
