#include "query/result_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::query {

using exported::ColumnData;
using exported::ColumnSpec;
using Type = exported::ColumnSpec::Type;

void ResultTable::Columns(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    // Two columns of one name cannot stand in a file.
    std::string own = name;
    for (int i = 2; std::ranges::find(specs_, own, &ColumnSpec::name) != specs_.end(); ++i) {
      own = fmt::format("{}_{}", name, i);
    }
    specs_.push_back({std::move(own), Type::kInt, false});
  }
  kept_.resize(names.size());
}

// Numbers that were kept as another type become that type.
void ResultTable::Widen(size_t column, Type to) {
  ColumnSpec& spec = specs_[column];
  Kept& kept = kept_[column];
  if (spec.type == Type::kInt && to == Type::kReal) {
    kept.reals.assign(kept.integers.begin(), kept.integers.end());
  } else {
    for (size_t i = 0; i < kept.valid.size(); ++i) {
      const std::string text = spec.type == Type::kInt ? std::to_string(kept.integers[i])
                                                       : fmt::format("{}", kept.reals[i]);
      kept.codes.push_back(kept.valid[i] == 0 ? 0 : Index(texts_.Intern(text)));
    }
    kept.reals.clear();
  }
  kept.integers.clear();
  spec.type = to;
}

bool ResultTable::Row(std::span<const Value> row) {
  for (size_t i = 0; i < row.size(); ++i) {
    const Value& value = row[i];
    const Type wanted = value.type == Value::Type::kText   ? Type::kText
                        : value.type == Value::Type::kReal ? Type::kReal
                                                           : Type::kInt;
    const auto rank = [](Type type) {
      return type == Type::kInt ? 0 : type == Type::kReal ? 1 : 2;
    };
    if (rank(wanted) > rank(specs_[i].type)) Widen(i, wanted);
    Kept& kept = kept_[i];
    const bool is_null = value.type == Value::Type::kNull;
    const bool is_integer = value.type == Value::Type::kInteger;
    specs_[i].nullable |= is_null;
    kept.valid.push_back(is_null ? 0 : 1);
    if (specs_[i].type == Type::kInt) {
      kept.integers.push_back(value.integer);
    } else if (specs_[i].type == Type::kReal) {
      kept.reals.push_back(is_integer ? static_cast<double>(value.integer) : value.real);
    } else {
      const std::string made = is_integer                         ? std::to_string(value.integer)
                               : value.type == Value::Type::kReal ? fmt::format("{}", value.real)
                                                                  : std::string();
      kept.codes.push_back(Index(texts_.Intern(made.empty() ? value.text : made)));
    }
  }
  ++rows_;
  return true;
}

void ResultTable::Fill(size_t column, uint64_t first, uint32_t count, ColumnData& out) const {
  const Kept& kept = kept_[column];
  const auto cut = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    const auto begin = from.begin() + static_cast<ptrdiff_t>(first);
    to.assign(begin, begin + count);
  };
  out.Clear();
  cut(kept.integers, out.integers);
  cut(kept.reals, out.reals);
  cut(kept.codes, out.codes);
  if (specs_[column].nullable) cut(kept.valid, out.valid);
  if (specs_[column].type != Type::kText) return;
  for (uint32_t id = 0; id < texts_.size(); ++id) out.dictionary.push_back(texts_[StringId{id}]);
}

}  // namespace stepscope::query
