#include "query_rows.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <memory>
#include <utility>

#include "query/database.h"
#include "query/result_table.h"

namespace stepscope::python {
namespace {

using exported::ColumnData;
using exported::ColumnSpec;
using Type = ColumnSpec::Type;

// Numbers that may be unknown are reals: NaN says so.
std::vector<double> WithGaps(const ColumnData& data, Type type) {
  std::vector<double> values;
  const size_t rows = type == Type::kInt ? data.integers.size() : data.reals.size();
  values.reserve(rows);
  for (size_t i = 0; i < rows; ++i) {
    values.push_back(data.IsNull(i)       ? std::numeric_limits<double>::quiet_NaN()
                     : type == Type::kInt ? static_cast<double>(data.integers[i])
                                          : data.reals[i]);
  }
  return values;
}

TableData ByColumn(const std::shared_ptr<const query::ResultTable>& rows) {
  ChunkMaker chunk(rows);
  for (size_t i = 0; i < rows->columns().size(); ++i) {
    const ColumnSpec& spec = rows->columns()[i];
    ColumnData data;
    rows->Fill(i, 0, static_cast<uint32_t>(rows->rows()), data);
    if (spec.type == Type::kText) {
      std::vector<std::string_view> texts;
      texts.reserve(data.codes.size());
      for (size_t row = 0; row < data.codes.size(); ++row) {
        texts.push_back(data.IsNull(row) ? std::string_view() : data.dictionary[data.codes[row]]);
      }
      chunk.Text(spec.name, texts);
    } else if (spec.nullable || spec.type == Type::kReal) {
      chunk.Double(spec.name, WithGaps(data, spec.type));
    } else {
      chunk.Int64(spec.name, std::move(data.integers));
    }
  }
  TableData table{std::move(chunk.names), {}};
  table.chunks.push_back(std::move(chunk.columns));
  return table;
}

}  // namespace

Result<TableData> QueryRows(OpenedProfile& opened, const std::string& sql,
                            const std::vector<std::string>& arguments,
                            std::optional<double> timeout, const std::stop_token& stop) {
  const Result<std::unique_ptr<query::Database>> database = query::Database::Open(opened.tables());
  if (!database) return std::unexpected(database.error());
  query::QueryLimits limits{.stop = stop, .arguments = arguments};
  if (timeout) {
    limits.time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(*timeout));
  }
  const auto rows = std::make_shared<query::ResultTable>();
  const query::SqlResult<query::QueryOutcome> outcome = (*database)->Run(sql, limits, *rows);
  if (!outcome) {
    const query::SqlFault& fault = outcome.error();
    return std::unexpected(Error{fault.code, fault.sentence, {}, fault.offset, fault.next_step});
  }
  return ByColumn(rows);
}

}  // namespace stepscope::python
