#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "base/message.h"
#include "base/time.h"
#include "tables/column.h"
#include "trace/trace.h"

// Makes columns from getters: Of<&OpRow::calls>({.name = "calls", …}). The getter's type says the
// column's type; one getter gives single cells and whole stretches. A getter is
//   a member of the row struct,
//   [](const Row&) or [](const Context&, const Row&): a value of a row struct; Context is Trace,
//   [](const Context&, uint32_t row): a value of a row by number,
//   [](const Context&) -> const std::vector<T>&: a column that lies in memory.
// Values: integers, bool, double, text, StringId, DurationNs, TimeNs, SliceId (kNoSlice is null),
// an enum with NameOf, Messages, and std::optional of these.
namespace stepscope::tables {

inline std::string_view NameOf(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kNs:
      return "ns";
    case Unit::kBytes:
      return "bytes";
    case Unit::kPercent:
      return "percent";
  }
  std::unreachable();
}

namespace column_of {

template <typename Row>
const Row& RowAt(const RowSource& source, uint32_t row) {
  return static_cast<const Row*>(source.rows)[row];
}
template <typename Context>
const Context& ContextOf(const RowSource& source) {
  return *static_cast<const Context*>(source.context);
}
inline const StringTable& StringsOf(const Trace& trace) { return trace.strings; }

// How a getter is called.
template <typename F>
struct Call;
template <typename T, typename Row>
struct Call<T Row::*> {
  using Context = Trace;
  template <auto Get>
  static const T& Read(const RowSource& source, uint32_t row) {
    return RowAt<Row>(source, row).*Get;
  }
};
template <typename F, typename T, typename Row>
struct Call<T (F::*)(const Row&) const> {
  using Context = Trace;
  template <auto Get>
  static T Read(const RowSource& source, uint32_t row) {
    return Get(RowAt<Row>(source, row));
  }
};
template <typename F, typename T, typename C, typename Row>
struct Call<T (F::*)(const C&, const Row&) const> {
  using Context = C;
  template <auto Get>
  static T Read(const RowSource& source, uint32_t row) {
    return Get(ContextOf<C>(source), RowAt<Row>(source, row));
  }
};
template <typename F, typename T, typename C>
struct Call<T (F::*)(const C&, uint32_t) const> {
  using Context = C;
  template <auto Get>
  static T Read(const RowSource& source, uint32_t row) {
    return Get(ContextOf<C>(source), row);
  }
};
template <typename F, typename T, typename C>
struct Call<const std::vector<T>& (F::*)(const C&) const> {
  using Context = C;
  using Element = T;
  template <auto Get>
  static const T& Read(const RowSource& source, uint32_t row) {
    return Get(ContextOf<C>(source))[row];
  }
};
template <typename F>
  requires requires { &F::operator(); }
struct Call<F> : Call<decltype(&F::operator())> {};

template <auto Get>
using CallOf = Call<std::remove_const_t<decltype(Get)>>;
template <auto Get>
decltype(auto) Read(const RowSource& source, uint32_t row) {
  return CallOf<Get>::template Read<Get>(source, row);
}
template <auto Get>
using ValueOf = std::remove_cvref_t<decltype(Read<Get>(std::declval<RowSource>(), 0))>;

template <typename T>
struct Optional : std::false_type {
  using Value = T;
};
template <typename T>
struct Optional<std::optional<T>> : std::true_type {
  using Value = T;
};

template <typename T>
consteval CellType TypeOf() {
  if constexpr (std::same_as<T, bool>) {
    return CellType::kBool;
  } else if constexpr (std::same_as<T, StringId>) {
    return CellType::kName;
  } else if constexpr (std::integral<T> || std::same_as<T, DurationNs> || std::same_as<T, TimeNs> ||
                       std::same_as<T, SliceId>) {
    return CellType::kInt;
  } else if constexpr (std::floating_point<T>) {
    return CellType::kReal;
  } else {
    static_assert(std::is_enum_v<T> || std::derived_from<T, Messages> ||
                  std::convertible_to<T, std::string_view>);
    return CellType::kText;
  }
}

template <typename T>
int64_t IntegerOf(const T& value) {
  if constexpr (std::same_as<T, DurationNs> || std::same_as<T, TimeNs>) {
    return value.ns;
  } else {
    return static_cast<int64_t>(value);
  }
}

// Whether a value is none at all: no optional, no slice.
template <typename T>
bool IsNull(const T& value) {
  if constexpr (Optional<T>::value) {
    return !value || IsNull(*value);
  } else if constexpr (std::same_as<T, SliceId>) {
    return value == kNoSlice;
  } else {
    return false;
  }
}
template <typename T>
const auto& Inside(const T& value) {
  if constexpr (Optional<T>::value) {
    return *value;
  } else {
    return value;
  }
}

template <auto Get>
Cell ReadCell(const RowSource& source, uint32_t row, std::string& scratch) {
  using Given = ValueOf<Get>;
  using T = typename Optional<Given>::Value;
  Cell cell{.type = TypeOf<T>()};
  decltype(auto) given = Read<Get>(source, row);
  if (IsNull(given)) {
    cell.null = true;
    return cell;
  }
  decltype(auto) value = Inside(given);
  if constexpr (std::same_as<T, StringId>) {
    cell.integer = Index(value);
    cell.text = StringsOf(ContextOf<typename CallOf<Get>::Context>(source))[value];
  } else if constexpr (std::floating_point<T>) {
    cell.real = value;
  } else if constexpr (TypeOf<T>() != CellType::kText) {
    cell.integer = IntegerOf(value);
  } else if constexpr (std::is_enum_v<T>) {
    cell.text = NameOf(value);
  } else if constexpr (std::derived_from<T, Messages>) {
    scratch = Render(value, source.language);
    cell.text = scratch;
  } else if constexpr (std::same_as<T, std::string> &&
                       !std::is_reference_v<decltype(Read<Get>(source, row))>) {
    scratch = std::move(value);
    cell.text = scratch;
  } else {
    cell.text = value;
  }
  return cell;
}

template <auto Get>
void FillCells(const RowSource& source, uint32_t first, uint32_t count, ColumnValues& out) {
  using Given = ValueOf<Get>;
  using T = typename Optional<Given>::Value;
  constexpr bool kMayBeNull = Optional<Given>::value || std::same_as<T, SliceId>;
  const auto each = [&](auto& values, auto of) {
    values.clear();
    values.resize(count);
    out.valid.assign(kMayBeNull ? count : 0, 1);
    for (uint32_t i = 0; i < count; ++i) {
      decltype(auto) given = Read<Get>(source, first + i);
      if constexpr (kMayBeNull) {
        if (IsNull(given)) {
          out.valid[i] = 0;
          continue;
        }
      }
      values[i] = of(Inside(given));
    }
  };
  if constexpr (std::same_as<T, StringId>) {
    each(out.names, [](StringId id) { return id; });
  } else if constexpr (std::same_as<T, bool>) {
    each(out.truths, [](bool truth) { return static_cast<uint8_t>(truth); });
  } else if constexpr (std::floating_point<T>) {
    each(out.reals, [](T value) { return static_cast<double>(value); });
  } else if constexpr (TypeOf<T>() == CellType::kInt) {
    each(out.integers, [](const T& value) { return IntegerOf(value); });
  } else if constexpr (std::is_enum_v<T>) {
    each(out.texts, [](T value) { return NameOf(value); });
  } else if constexpr (std::derived_from<T, Messages>) {
    out.own.clear();
    each(out.texts, [&](const Messages& text) {
      return std::string_view(out.own.emplace_back(Render(text, source.language)));
    });
  } else if constexpr (std::same_as<T, std::string> &&
                       !std::is_reference_v<decltype(Read<Get>(source, 0))>) {
    out.own.clear();
    each(out.texts,
         [&](const std::string& text) { return std::string_view(out.own.emplace_back(text)); });
  } else {
    each(out.texts, [](const T& text) { return std::string_view(text); });
  }
}

template <auto Get>
BorrowedColumn Borrow(const RowSource& source) {
  using C = CallOf<Get>;
  const auto& values = Get(ContextOf<typename C::Context>(source));
  return {values.data(), values.size(), sizeof(typename C::Element)};
}

template <auto Get>
TableRows InnerRows(const RowSource& source, uint32_t row) {
  decltype(auto) given = Read<Get>(source, row);
  using Given = std::remove_cvref_t<decltype(given)>;
  if constexpr (Optional<Given>::value) {  // a record or none
    return {{source.context, given ? &*given : nullptr, given ? 1u : 0u, source.language}};
  } else if constexpr (!requires { given.size(); }) {  // a record
    return {{source.context, &given, 1, source.language}};
  } else if constexpr (std::is_reference_v<decltype(given)>) {
    return {{source.context, given.data(), static_cast<uint32_t>(given.size()), source.language}};
  } else {
    auto kept = std::make_shared<const Given>(std::move(given));
    const auto count = static_cast<uint32_t>(kept->size());
    return {{source.context, kept->data(), count, source.language}, kept};
  }
}

}  // namespace column_of

template <auto Get>
constexpr Column Of(Column column) {
  namespace c = column_of;
  using Given = c::ValueOf<Get>;
  using T = typename c::Optional<Given>::Value;
  column.type = c::TypeOf<T>();
  if (std::same_as<T, DurationNs> || std::same_as<T, TimeNs>) column.unit = Unit::kNs;
  column.natural = (std::unsigned_integral<T> || std::same_as<T, DurationNs>) && !column.below_zero;
  const bool may_be_null = c::Optional<Given>::value || std::same_as<T, SliceId>;
  if (may_be_null && column.nulls == Nulls::kNever) column.nulls = Nulls::kNull;
  column.cell = c::ReadCell<Get>;
  column.fill = c::FillCells<Get>;
  if constexpr (requires { typename c::CallOf<Get>::Element; }) {
    column.borrow = c::Borrow<Get>;
    if constexpr (std::is_enum_v<T> && c::TypeOf<T>() == CellType::kText) {
      column.code = [](uint8_t code) { return NameOf(static_cast<T>(code)); };
    }
  }
  return column;
}

// Rows of another list inside a row: an array in JSON. The getter gives a vector.
template <auto Get>
constexpr Column RowsOf(Column column, Columns inner) {
  column.type = CellType::kRows;
  column.shown = kInJson;
  column.inner = inner;
  column.rows = column_of::InnerRows<Get>;
  return column;
}

// One row of another list inside a row: an object in JSON. The getter gives a reference to a struct
// or to an optional one.
template <auto Get>
constexpr Column RecordOf(Column column, Columns inner) {
  column = RowsOf<Get>(column, inner);
  column.type = CellType::kRecord;
  return column;
}

}  // namespace stepscope::tables
