#include "fleet/row_block.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stepscope::fleet {
namespace {

using exported::ColumnData;
using exported::ColumnSpec;
using tables::Cell;
using tables::CellType;

template <typename T>
void Put(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
bool Take(std::string_view& block, T& value) {
  if (block.size() < sizeof value) return false;
  std::memcpy(&value, block.data(), sizeof value);
  block.remove_prefix(sizeof value);
  return true;
}

ColumnSpec::Type TypeOf(CellType type) {
  switch (type) {
    case CellType::kReal:
      return ColumnSpec::Type::kReal;
    case CellType::kBool:
      return ColumnSpec::Type::kBool;
    case CellType::kText:
    case CellType::kName:
      return ColumnSpec::Type::kText;
    case CellType::kInt:
    case CellType::kRecord:
    case CellType::kRows:
      return ColumnSpec::Type::kInt;
  }
  std::unreachable();
}

void PutCell(const Cell& cell, std::string& out) {
  Put<uint8_t>(cell.null ? 0 : 1, out);
  if (cell.null) return;
  switch (TypeOf(cell.type)) {
    case ColumnSpec::Type::kReal:
      return Put(cell.real, out);
    case ColumnSpec::Type::kText: {
      Put(static_cast<uint32_t>(cell.text.size()), out);
      out.append(cell.text);
      return;
    }
    case ColumnSpec::Type::kInt:
    case ColumnSpec::Type::kBool:
      return Put(cell.integer, out);
  }
}

template <typename T>
void Copy(const std::vector<int64_t>& from, uint64_t first, uint32_t count, std::vector<T>& to) {
  to.resize(count);
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
  std::transform(begin, begin + count, to.begin(),
                 [](int64_t value) { return static_cast<T>(value); });
}

}  // namespace

std::string EncodeTable(const Table& table, const FileRows& rows) {
  std::string out, scratch;
  const tables::RowSource source = table.rows(rows);
  Put(source.count, out);
  for (const tables::Column& column : table.columns) {
    for (uint32_t row = 0; row < source.count; ++row) {
      PutCell(column.cell(source, row, scratch), out);
    }
  }
  return out;
}

std::string EncodeRows(const FileRows& rows) {
  std::string out;
  for (const Table& table : kTables) out += EncodeTable(table, rows);
  return out;
}

BatchTable::BatchTable(const Table& table) : table_(table) {
  for (const tables::Column& column : table.columns) {
    specs_.push_back(
        {std::string(column.name), TypeOf(column.type), column.nulls != tables::Nulls::kNever});
  }
  stored_.resize(specs_.size());
}

bool BatchTable::Append(std::string_view& block) {
  uint32_t count = 0;
  if (!Take(block, count)) return false;
  for (size_t c = 0; c < specs_.size(); ++c) {
    Stored& stored = stored_[c];
    for (uint32_t row = 0; row < count; ++row) {
      uint8_t known = 0;
      if (!Take(block, known)) return false;
      if (specs_[c].nullable) stored.valid.push_back(known);
      switch (specs_[c].type) {
        case ColumnSpec::Type::kReal: {
          double value = 0;
          if (known != 0 && !Take(block, value)) return false;
          stored.reals.push_back(value);
          break;
        }
        case ColumnSpec::Type::kText: {
          uint32_t size = 0;
          if (known != 0 && (!Take(block, size) || block.size() < size)) return false;
          stored.integers.push_back(
              Index(stored.texts.Intern(exported::ValidUtf8(block.substr(0, size)))));
          block.remove_prefix(size);
          break;
        }
        case ColumnSpec::Type::kInt:
        case ColumnSpec::Type::kBool: {
          int64_t value = 0;
          if (known != 0 && !Take(block, value)) return false;
          stored.integers.push_back(value);
          break;
        }
      }
    }
  }
  rows_ += count;
  return true;
}

void BatchTable::Fill(size_t column, uint64_t first, uint32_t count, ColumnData& out) const {
  out.Clear();
  const Stored& stored = stored_[column];
  switch (specs_[column].type) {
    case ColumnSpec::Type::kReal: {
      const auto begin = stored.reals.begin() + static_cast<std::ptrdiff_t>(first);
      out.reals.assign(begin, begin + count);
      break;
    }
    case ColumnSpec::Type::kText:
      Copy(stored.integers, first, count, out.codes);
      for (uint32_t id = 0; id < stored.texts.size(); ++id) {
        out.dictionary.push_back(stored.texts[StringId{id}]);
      }
      break;
    case ColumnSpec::Type::kInt:
      Copy(stored.integers, first, count, out.integers);
      break;
    case ColumnSpec::Type::kBool:
      Copy(stored.integers, first, count, out.truths);
      break;
  }
  if (specs_[column].nullable) {
    const auto begin = stored.valid.begin() + static_cast<std::ptrdiff_t>(first);
    out.valid.assign(begin, begin + count);
  }
}

}  // namespace stepscope::fleet
