#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "io/byte_sink.h"
#include "present/style.h"
#include "query/row_writer.h"

namespace stepscope::query {

enum class RowFormat : uint8_t { kTable, kCsv, kJson, kJsonl, kParquet };

// The sink has to stay until Finish. Tables and JSON are kept until then, lines are written as they
// come.
std::unique_ptr<RowWriter> MakeRowWriter(RowFormat format, const Style& style, ByteSink& sink);

// Collects the answer as JSON of the schema above.
class JsonRows : public RowTaker {
 public:
  void Columns(const std::vector<std::string>& names) override;
  bool Row(std::span<const Value> row) override;
  std::string Take(const QueryOutcome& outcome);

 private:
  std::vector<std::string> names_;
  std::vector<Value::Type> types_;  // of what was seen so far
  std::string rows_;
};

}  // namespace stepscope::query
