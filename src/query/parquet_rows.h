#pragma once

#include <memory>

#include "io/byte_sink.h"
#include "query/row_writer.h"

namespace stepscope::query {

// Collects the rows of a query and writes them as Parquet. A column is of integers, reals or texts,
// whichever holds all of its values. The sink has to stay.
std::unique_ptr<RowWriter> MakeParquetRows(ByteSink& sink);

}  // namespace stepscope::query
