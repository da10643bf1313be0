#pragma once

#include <cstdint>
#include <memory>

#include "table.h"

// Arrow's C data and C stream interfaces: plain structs with a published layout that any library
// can hand to any other. Columns go out as they lie in memory; only truth values are packed to bits
// and texts of dictionaries copied.
extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace stepscope::python {

// Each fills a struct that its receiver releases.
void ExportSchema(const TableData& table, ArrowSchema* out);
void ExportChunk(const TableData& table, size_t chunk, ArrowArray* out);
void ExportStream(std::shared_ptr<const TableData> table, ArrowArrayStream* out);
void ExportColumnSchema(const ColumnChunk& column, const char* name, ArrowSchema* out);
void ExportColumn(const ColumnChunk& column, ArrowArray* out);

}  // namespace stepscope::python
