#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrow_c.h"
#include "errors.h"
#include "profile_handle.h"
#include "profile_tables.h"
#include "query/query_tables.h"
#include "query_rows.h"
#include "register.h"
#include "table_rows.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

// A struct of Arrow's in a capsule: released with it unless somebody moved it out.
template <typename Struct>
void ReleaseCapsule(PyObject* capsule) {
  auto* held = static_cast<Struct*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  if (held->release != nullptr) held->release(held);
  delete held;
}

template <typename Struct, typename Fill>
py::object Capsule(const char* name, Fill fill) {
  auto held = std::make_unique<Struct>();
  fill(held.get());
  PyObject* capsule = PyCapsule_New(held.get(), name, ReleaseCapsule<Struct>);
  if (capsule == nullptr) throw py::error_already_set();
  held.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  return py::reinterpret_steal<py::object>(capsule);
}

py::str Decode(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

// A column of one chunk. Its buffer is the engine's own memory, kept alive by the view.
struct Column {
  std::string name;
  ColumnChunk chunk;

  py::buffer_info Buffer() const {
    const size_t bytes = BytesOf(chunk.type);
    return {const_cast<void*>(chunk.data),
            static_cast<py::ssize_t>(bytes),
            BufferFormatOf(chunk.type),
            1,
            {static_cast<py::ssize_t>(chunk.rows)},
            {static_cast<py::ssize_t>(bytes)},
            true};
  }
  py::object Categories() const {
    if (!chunk.dictionary) return py::none();
    py::list texts(chunk.dictionary->values.size());
    for (size_t i = 0; i < texts.size(); ++i) texts[i] = Decode(chunk.dictionary->values[i]);
    return texts;
  }
  py::tuple Arrow() const {
    return py::make_tuple(
        Capsule<ArrowSchema>(
            "arrow_schema",
            [&](ArrowSchema* out) { ExportColumnSchema(chunk, name.c_str(), out); }),
        Capsule<ArrowArray>("arrow_array", [&](ArrowArray* out) { ExportColumn(chunk, out); }));
  }
};

// Row numbers from an array.array("q").
std::vector<int64_t> RowNumbers(const py::buffer& given, size_t rows) {
  const py::buffer_info info = given.request();
  if (info.itemsize != sizeof(int64_t) || info.ndim != 1) throw py::type_error("rows are int64");
  const auto* const first = static_cast<const int64_t*>(info.ptr);
  std::vector<int64_t> numbers(first, first + info.size);
  for (const int64_t row : numbers) {
    if (row < 0 || static_cast<size_t>(row) >= rows) throw py::index_error("no such row");
  }
  return numbers;
}

Sum SumNamed(const std::string& name) {
  if (name == "sum") return Sum::kSum;
  if (name == "min") return Sum::kMin;
  if (name == "max") return Sum::kMax;
  if (name == "mean") return Sum::kMean;
  throw py::value_error("a sum is sum, min, max or mean, not " + name);
}

struct Table {
  std::shared_ptr<const TableData> data;

  size_t Index(const std::string& name) const {
    for (size_t i = 0; i < data->names.size(); ++i) {
      if (data->names[i] == name) return i;
    }
    throw py::key_error(name);
  }
  Column At(const std::string& name, size_t chunk) const {
    if (chunk >= data->chunks.size()) throw py::index_error("no such chunk");
    return {name, data->chunks[chunk][Index(name)]};
  }
  Table Take(const py::buffer& rows) const {
    const std::vector<int64_t> numbers = RowNumbers(rows, data->rows());
    const py::gil_scoped_release released;
    return {std::make_shared<const TableData>(TakeRows(data, numbers))};
  }
  // Ordered by the first column, rows that are equal there by the second, and so on.
  Table Sorted(const std::vector<std::pair<std::string, bool>>& by) const {
    std::vector<std::pair<size_t, Order>> columns;
    for (const auto& [name, descending] : by) {
      columns.emplace_back(Index(name), descending ? Order::kDescending : Order::kAscending);
    }
    const py::gil_scoped_release released;
    std::vector<int64_t> rows(data->rows());
    std::iota(rows.begin(), rows.end(), int64_t{0});
    for (auto at = columns.rbegin(); at != columns.rend(); ++at) {
      rows = OrderRows(*data, at->first, at->second, std::move(rows));
    }
    return {std::make_shared<const TableData>(TakeRows(data, rows))};
  }
  Table Grouped(const std::vector<std::string>& by,
                const std::vector<std::pair<std::string, std::string>>& wanted) const {
    std::vector<size_t> keys;
    for (const std::string& name : by) keys.push_back(Index(name));
    std::vector<Summed> sums;
    for (const auto& [name, how] : wanted) {
      const size_t column = Index(name);
      if (!data->chunks.empty() && data->chunks[0][column].dictionary) {
        throw py::type_error("the column '" + name + "' holds texts, which do not add up");
      }
      sums.push_back({column, SumNamed(how), name + "_" + how});
    }
    const py::gil_scoped_release released;
    return {std::make_shared<const TableData>(GroupRows(data, keys, sums))};
  }
  py::object Schema() const {
    return Capsule<ArrowSchema>("arrow_schema",
                                [&](ArrowSchema* out) { ExportSchema(*data, out); });
  }
  py::object Stream() const {
    return Capsule<ArrowArrayStream>("arrow_array_stream",
                                     [&](ArrowArrayStream* out) { ExportStream(data, out); });
  }
  py::tuple Batch(size_t chunk) const {
    if (chunk >= data->chunks.size()) throw py::index_error("no such chunk");
    return py::make_tuple(Schema(), Capsule<ArrowArray>("arrow_array", [&](ArrowArray* out) {
                            ExportChunk(*data, chunk, out);
                          }));
  }
};

Table TableOf(const ProfileHandle& handle, const std::string& name) {
  if (!HasTable(name)) throw py::key_error(name);
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  return {std::make_shared<const TableData>(
      Watched(py::none(), [&](const Watch&) { return MakeTable(opened, name); }))};
}

// The rows of a query as one chunk.
Table Query(const ProfileHandle& handle, const std::string& sql,
            const std::vector<std::string>& arguments, std::optional<double> timeout) {
  const std::shared_ptr<OpenedProfile> opened = handle.Get();
  return {std::make_shared<const TableData>(Unwrap(Watched(py::none(), [&](const Watch& watch) {
    return QueryRows(*opened, sql, arguments, timeout, watch.stop);
  })))};
}

// A column of a table that Python makes: its name, the format of its numbers ("q", "d" or "?"; "I"
// with texts) and their bytes, and the texts that they are codes of.
using GivenColumn =
    std::tuple<std::string, std::string, py::buffer, std::optional<std::vector<std::string>>>;

template <typename T>
std::vector<T> ValuesOf(const py::buffer& given) {
  const py::buffer_info info = given.request();
  const auto* const first = static_cast<const T*>(info.ptr);
  return {first, first + static_cast<size_t>(info.size * info.itemsize) / sizeof(T)};
}

std::shared_ptr<const Dictionary> DictionaryOf(std::vector<std::string> texts) {
  auto kept = std::make_shared<const std::vector<std::string>>(std::move(texts));
  auto dictionary = std::make_shared<Dictionary>();
  dictionary->values = {kept->begin(), kept->end()};
  dictionary->owner = kept;
  return dictionary;
}

Table TableFrom(const std::vector<GivenColumn>& columns) {
  ChunkMaker made(nullptr);
  for (const auto& [name, format, values, texts] : columns) {
    if (texts) {
      std::vector<uint32_t> codes = ValuesOf<uint32_t>(values);
      for (const uint32_t code : codes) {
        if (code >= texts->size()) throw py::index_error("a code without a text");
      }
      made.Uint32(name, std::move(codes), DictionaryOf(*texts));
    } else if (format == "d") {
      made.Double(name, ValuesOf<double>(values));
    } else if (format == "?") {
      made.Bool(name, ValuesOf<uint8_t>(values));
    } else if (format == "q") {
      made.Int64(name, ValuesOf<int64_t>(values));
    } else {
      throw py::value_error("a column is of q, d, ? or texts, not " + format);
    }
    if (made.columns.back().rows != made.columns.front().rows) {
      throw py::value_error("the columns differ in length");
    }
  }
  auto table = std::make_shared<TableData>();
  table->names = std::move(made.names);
  table->chunks.push_back(std::move(made.columns));
  return {std::move(table)};
}

}  // namespace

void RegisterTables(py::module_& module) {
  py::class_<Column>(module, "Column", py::buffer_protocol())
      .def_buffer(&Column::Buffer)
      .def_readonly("name", &Column::name)
      .def("__len__", [](const Column& column) { return column.chunk.rows; })
      .def_property_readonly("format",
                             [](const Column& column) { return BufferFormatOf(column.chunk.type); })
      .def_property_readonly(
          "address",
          [](const Column& column) { return reinterpret_cast<uintptr_t>(column.chunk.data); })
      .def_property_readonly(
          "is_text", [](const Column& column) { return column.chunk.dictionary != nullptr; })
      .def("categories", &Column::Categories)
      .def("arrow", &Column::Arrow);
  py::class_<Table>(module, "Table")
      .def_property_readonly("names", [](const Table& table) { return table.data->names; })
      .def_property_readonly("rows", [](const Table& table) { return table.data->rows(); })
      .def_property_readonly("chunks", [](const Table& table) { return table.data->chunks.size(); })
      .def("column", &Table::At, py::arg("name"), py::arg("chunk"))
      .def("take", &Table::Take, py::arg("rows"))
      .def("sorted", &Table::Sorted, py::arg("by"))
      .def("grouped", &Table::Grouped, py::arg("by"), py::arg("sums"))
      .def("arrow_schema", &Table::Schema)
      .def("arrow_stream", &Table::Stream)
      .def("arrow_batch", &Table::Batch, py::arg("chunk"));
  module.def("query", &Query, py::arg("profile"), py::arg("sql"), py::arg("arguments"),
             py::arg("timeout"));
  module.def("query_tables", [] {
    std::vector<std::string> names;
    for (const query::QueryTables::Facts& facts : query::QueryTables::All()) {
      names.push_back(facts.name);
    }
    return names;
  });
  module.def("table_from", &TableFrom, py::arg("columns"));
  module.def("table", &TableOf, py::arg("profile"), py::arg("name"));
}

}  // namespace stepscope::python
