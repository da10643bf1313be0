#pragma once

#include "base/result.h"
#include "export/table_source.h"
#include "io/byte_sink.h"

namespace stepscope::exported {

// An Arrow IPC file (.arrow, "Feather 2"): numbers as they lie in memory, texts as a dictionary a
// column. Not compressed. Texts are looked at twice: a dictionary comes before its rows.
Result<void> WriteArrow(const TableSource& table, ByteSink& sink);

}  // namespace stepscope::exported
