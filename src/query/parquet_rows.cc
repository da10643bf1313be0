#include "query/parquet_rows.h"

#include "base/task_pool.h"
#include "export/parquet.h"
#include "query/result_table.h"

namespace stepscope::query {
namespace {

class ParquetRows : public RowWriter {
 public:
  explicit ParquetRows(ByteSink& sink) : sink_(sink) {}
  void Columns(const std::vector<std::string>& names) override { table_.Columns(names); }
  bool Row(std::span<const Value> row) override { return table_.Row(row); }
  Result<void> Finish(const QueryOutcome&) override {
    TaskPool pool;
    return exported::WriteParquet(
        table_, {.metadata = {{"stepscope.schema", std::string(kQuerySchema)}}}, pool, sink_);
  }

 private:
  ResultTable table_;
  ByteSink& sink_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeParquetRows(ByteSink& sink) {
  return std::make_unique<ParquetRows>(sink);
}

}  // namespace stepscope::query
