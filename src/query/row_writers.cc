#include "query/row_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "present/csv.h"
#include "present/json_writer.h"
#include "present/table.h"
#include "query/parquet_rows.h"
#include "words/query.h"

namespace stepscope::query {
namespace {

constexpr size_t kBlock = 1 << 16;

std::string_view NameOf(Value::Type type) {
  switch (type) {
    case Value::Type::kNull:
      return "null";
    case Value::Type::kInteger:
      return "integer";
    case Value::Type::kReal:
      return "real";
    case Value::Type::kText:
      return "text";
  }
  std::unreachable();
}

// What can hold both.
Value::Type Common(Value::Type one, Value::Type other) {
  return std::max(one, other);  // null, integer, real, text: each holds those before it
}

void Write(const Value& value, JsonWriter& json) {
  switch (value.type) {
    case Value::Type::kNull:
      return json.Value(nullptr);
    case Value::Type::kInteger:
      return json.Value(value.integer);
    case Value::Type::kReal:
      return json.Value(value.real);
    case Value::Type::kText:
      return json.Value(value.text);
  }
}

void Write(const Value& value, CsvWriter& csv) {
  switch (value.type) {
    case Value::Type::kNull:
      return csv.Field(std::string_view());
    case Value::Type::kInteger:
      return csv.Field(value.integer);
    case Value::Type::kReal:
      return csv.Field(value.real);
    case Value::Type::kText:
      return csv.Field(value.text);
  }
}

std::string TextOf(const Value& value) {
  switch (value.type) {
    case Value::Type::kNull:
      return "NULL";
    case Value::Type::kInteger:
      return std::to_string(value.integer);
    case Value::Type::kReal:
      return fmt::format("{:.10g}", value.real);
    case Value::Type::kText:
      return std::string(value.text);
  }
  std::unreachable();
}

// Lines that leave as they come.
class LineWriter : public RowWriter {
 public:
  explicit LineWriter(ByteSink& sink) : sink_(sink) {}
  bool Row(std::span<const Value> row) override {
    Add(row);
    if (text_.size() >= kBlock) Flush();
    return written_.has_value();
  }
  Result<void> Finish(const QueryOutcome&) override {
    Flush();
    return written_;
  }

 protected:
  virtual void Add(std::span<const Value> row) = 0;
  std::string text_;

 private:
  void Flush() {
    if (written_) written_ = sink_.Write(text_);
    text_.clear();
  }
  ByteSink& sink_;
  Result<void> written_;
};

class CsvLines : public LineWriter {
 public:
  using LineWriter::LineWriter;
  void Columns(const std::vector<std::string>& names) override {
    CsvWriter csv(text_);
    for (const std::string& name : names) csv.Field(name);
    csv.EndRow();
  }

 private:
  void Add(std::span<const Value> row) override {
    CsvWriter csv(text_);
    for (const Value& value : row) Write(value, csv);
    csv.EndRow();
  }
};

class JsonLines : public LineWriter {
 public:
  using LineWriter::LineWriter;
  void Columns(const std::vector<std::string>& names) override { names_ = names; }

 private:
  void Add(std::span<const Value> row) override {
    JsonWriter json(text_);
    json.BeginObject();
    for (size_t i = 0; i < row.size(); ++i) {
      json.Key(names_[i]);
      Write(row[i], json);
    }
    json.EndObject();
    text_ += '\n';
  }
  std::vector<std::string> names_;
};

class JsonWhole : public RowWriter {
 public:
  explicit JsonWhole(ByteSink& sink) : sink_(sink) {}
  void Columns(const std::vector<std::string>& names) override { rows_.Columns(names); }
  bool Row(std::span<const Value> row) override { return rows_.Row(row); }
  Result<void> Finish(const QueryOutcome& outcome) override {
    return sink_.Write(rows_.Take(outcome) + "\n");
  }

 private:
  JsonRows rows_;
  ByteSink& sink_;
};

// Aligned columns: numbers to the right, long texts cut to the width.
class TextTable : public RowWriter {
 public:
  TextTable(const Style& style, ByteSink& sink) : style_(style), sink_(sink) {}
  void Columns(const std::vector<std::string>& names) override {
    names_ = names;
    types_.assign(names.size(), Value::Type::kNull);
  }
  bool Row(std::span<const Value> row) override {
    std::vector<Cell>& cells = rows_.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      types_[i] = Common(types_[i], row[i].type);
      const bool none = row[i].type == Value::Type::kNull;
      cells.emplace_back(TextOf(row[i]), none ? Color::kDim : Color::kPlain);
    }
    return true;
  }
  Result<void> Finish(const QueryOutcome& outcome) override {
    const SayIn<kQueryTexts> say(style_);
    std::string text;
    if (!names_.empty()) text = Rendered();
    const std::string last = outcome.truncated
                                 ? say("query.first-rows", static_cast<int64_t>(outcome.rows))
                                 : say("query.rows", static_cast<int64_t>(outcome.rows),
                                       DurationNs{outcome.elapsed.count()});
    if (!names_.empty()) text += style_.Paint(Color::kDim, last) + "\n";
    return sink_.Write(text);
  }

 private:
  std::string Rendered() {
    std::vector<Column> columns;
    for (size_t i = 0; i < names_.size(); ++i) {
      const bool text = types_[i] == Value::Type::kText;
      columns.push_back(
          {names_[i], text ? Align::kLeft : Align::kRight, text ? Fit::kShorten : Fit::kKeep});
    }
    Table table(names_[0], std::move(columns));
    for (std::vector<Cell>& row : rows_) table.AddRow(std::move(row));
    return table.Render(style_);
  }

  const Style style_;
  ByteSink& sink_;
  std::vector<std::string> names_;
  std::vector<Value::Type> types_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace

void JsonRows::Columns(const std::vector<std::string>& names) {
  names_ = names;
  types_.assign(names.size(), Value::Type::kNull);
}

bool JsonRows::Row(std::span<const Value> row) {
  rows_ += rows_.empty() ? "\n" : ",\n";
  JsonWriter json(rows_);
  json.BeginArray();
  for (size_t i = 0; i < row.size(); ++i) {
    types_[i] = Common(types_[i], row[i].type);
    Write(row[i], json);
  }
  json.EndArray();
  return true;
}

std::string JsonRows::Take(const QueryOutcome& outcome) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", kQuerySchema);
  json.Key("columns");
  json.BeginArray();
  for (size_t i = 0; i < names_.size(); ++i) {
    json.BeginObject();
    json.Field("name", names_[i]);
    json.Field("type", NameOf(types_[i]));
    json.EndObject();
  }
  json.EndArray();
  json.Key("rows");
  json.Raw("[" + rows_ + (rows_.empty() ? "]" : "\n]"));
  json.Field("truncated", outcome.truncated);
  json.Field("elapsed_ns", outcome.elapsed.count());
  json.EndObject();
  return text;
}

std::unique_ptr<RowWriter> MakeRowWriter(RowFormat format, const Style& style, ByteSink& sink) {
  switch (format) {
    case RowFormat::kTable:
      return std::make_unique<TextTable>(style, sink);
    case RowFormat::kCsv:
      return std::make_unique<CsvLines>(sink);
    case RowFormat::kJson:
      return std::make_unique<JsonWhole>(sink);
    case RowFormat::kJsonl:
      return std::make_unique<JsonLines>(sink);
    case RowFormat::kParquet:
      return MakeParquetRows(sink);
  }
  std::unreachable();
}

}  // namespace stepscope::query
