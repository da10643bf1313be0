#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_c.h"
#include "errors.h"
#include "profile_handle.h"
#include "profile_tables.h"
#include "query_rows.h"
#include "register.h"
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

struct Table {
  std::shared_ptr<const TableData> data;

  Column At(const std::string& name, size_t chunk) const {
    if (chunk >= data->chunks.size()) throw py::index_error("no such chunk");
    for (size_t i = 0; i < data->names.size(); ++i) {
      if (data->names[i] == name) return {name, data->chunks[chunk][i]};
    }
    throw py::key_error(name);
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
      .def("arrow_schema", &Table::Schema)
      .def("arrow_stream", &Table::Stream)
      .def("arrow_batch", &Table::Batch, py::arg("chunk"));
  module.def("query", &Query, py::arg("profile"), py::arg("sql"), py::arg("arguments"),
             py::arg("timeout"));
  module.def("table", &TableOf, py::arg("profile"), py::arg("name"));
}

}  // namespace stepscope::python
