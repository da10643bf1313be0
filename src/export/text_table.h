#pragma once

#include "base/result.h"
#include "export/table_source.h"
#include "io/byte_sink.h"

namespace stepscope::exported {

// CSV as RFC 4180 has it, with a header; unknown values are empty.
Result<void> WriteCsv(const TableSource& table, ByteSink& sink);
// One JSON object a line; unknown values are null.
Result<void> WriteJsonLines(const TableSource& table, ByteSink& sink);

}  // namespace stepscope::exported
