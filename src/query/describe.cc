#include "query/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analyze/raw/raw_tables.h"
#include "analyze/report_tables.h"
#include "base/nearest.h"
#include "present/json_writer.h"
#include "present/table.h"
#include "query/args_module.h"
#include "query/functions.h"
#include "query/library.h"
#include "query/table_module.h"
#include "query/views.h"
#include "words/query.h"

namespace stepscope::query {
namespace {

constexpr SayFrom<kQueryTexts> Say;
constexpr tables::Words kArgsMeaning{"an argument of an event, read from the file on demand",
                                     "事件的一个参数，需要时从文件读取"};

std::string_view In(Language language, const tables::Words& words) {
  return language == Language::kChinese ? words.zh : words.en;
}

struct Listed {
  std::string name;
  tables::Words meaning;
};

std::vector<Listed> ListedTables() {
  std::vector<Listed> listed;
  for (const QueryTables::Facts& facts : QueryTables::All()) {
    listed.push_back({facts.name, facts.meaning});
  }
  listed.push_back({"args", kArgsMeaning});
  return listed;
}

std::string ListText(const std::string& heading, const std::vector<Listed>& listed,
                     const Style& style) {
  Table table(heading, {{"", Align::kLeft, Fit::kKeep}, {"", Align::kLeft, Fit::kShorten}});
  for (const Listed& each : listed) {
    table.AddRow({each.name, std::string(In(style.language, each.meaning))});
  }
  return table.Render(style);
}

Result<void> CheckTable(const Database& database, std::string_view table) {
  const std::vector<std::string> names = database.TableNames();
  if (std::ranges::find(names, table) != names.end()) return {};
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view near = Nearest(table, known);
  return Fail(ErrorCode::kUsage, Say("query.no-table", table), {},
              near.empty() ? Say("query.list-tables") : Say("query.did-you-mean", near));
}

std::string_view TypeOf(tables::CellType type) {
  switch (type) {
    case tables::CellType::kReal:
      return "REAL";
    case tables::CellType::kText:
    case tables::CellType::kName:
      return "TEXT";
    default:
      return "INTEGER";
  }
}

constexpr std::string_view kTraceIdMeaning = "the trace it is of";
constexpr std::string_view kTraceIdMeaningZh = "所属的 trace";

tables::Words MeaningOf(const SqlColumn& column) {
  return column.declared == nullptr ? tables::Words{kTraceIdMeaning, kTraceIdMeaningZh}
                                    : column.declared->meaning;
}

std::string CreateText(const Database& database, const std::string& name) {
  std::string text = fmt::format("CREATE TABLE {} (", name);
  if (const SqlTable* const table = database.tables().Find(name)) {
    for (const SqlColumn& column : table->columns()) {
      text += fmt::format("{}\n  {} {}", text.ends_with('(') ? "" : ",", column.name,
                          TypeOf(column.type));
    }
    return text + "\n);\n";
  }
  for (const View& view : Views()) {
    if (view.name == name) return fmt::format("CREATE VIEW {} AS {};\n", name, view.select);
  }
  for (const std::string_view column : ArgsColumns()) {
    text += fmt::format("{}\n  {}", text.ends_with('(') ? "" : ",", column);
  }
  return text + "\n);\n";
}

}  // namespace

std::string TablesText(const Style& style) {
  const SayIn<kQueryTexts> say(style);
  std::vector<Listed> views, functions;
  for (const View& view : Views()) views.push_back({std::string(view.name), view.meaning});
  for (const FunctionFacts& function : Functions()) {
    functions.push_back({std::string(function.call), function.meaning});
  }
  return ListText(say("query.tables"), ListedTables(), style) + "\n" +
         ListText(say("query.views"), views, style) + "\n" +
         ListText(say("query.functions"), functions, style);
}

Result<std::string> ColumnsText(const Database& database, std::string_view name,
                                const Style& style) {
  if (Result<void> known = CheckTable(database, name); !known) {
    return std::unexpected(known.error());
  }
  Table table(std::string(name), {{"", Align::kLeft, Fit::kKeep},
                                  {"", Align::kLeft, Fit::kKeep},
                                  {"", Align::kLeft, Fit::kDrop},
                                  {"", Align::kLeft, Fit::kShorten}});
  if (const SqlTable* const found = database.tables().Find(name)) {
    for (const SqlColumn& column : found->columns()) {
      const tables::Column* const declared = column.declared;
      table.AddRow({std::string(column.name), std::string(TypeOf(column.type)),
                    std::string(declared == nullptr ? std::string_view() : declared->joins),
                    std::string(In(style.language, MeaningOf(column)))});
    }
  } else {
    for (const std::string& column : database.ColumnNames(name)) table.AddRow({column});
  }
  return table.Render(style);
}

Result<std::string> SchemaText(const Database& database, std::string_view table) {
  if (!table.empty()) {
    if (Result<void> known = CheckTable(database, table); !known) {
      return std::unexpected(known.error());
    }
    return CreateText(database, std::string(table));
  }
  std::string text;
  for (const std::string& name : database.TableNames()) text += CreateText(database, name);
  return text;
}

std::string LibraryText(const Style& style) {
  const SayIn<kQueryTexts> say(style);
  std::vector<Listed> listed;
  for (const SavedQuery& query : Library()) {
    listed.push_back({std::string(query.usage), query.meaning});
  }
  return ListText(say("query.library"), listed, style);
}

std::string SchemaJson(const Database& database, Language language) {
  std::string text;
  JsonWriter json(text);
  const auto list = [&](std::string_view key, const auto& items, auto each) {
    json.Key(key);
    json.BeginArray(JsonWriter::Layout::kLines);
    for (const auto& item : items) {
      json.BeginObject();
      each(item);
      json.EndObject();
    }
    json.EndArray();
  };
  const auto columns = [&](std::string_view table) {
    json.Key("columns");
    json.BeginArray();
    for (const std::string& column : database.ColumnNames(table)) json.Value(column);
    json.EndArray();
  };
  json.BeginObject(JsonWriter::Layout::kLines);
  list("tables", ListedTables(), [&](const Listed& table) {
    json.Field("name", table.name);
    json.Field("meaning", In(language, table.meaning));
    columns(table.name);
  });
  list("views", Views(), [&](const View& view) {
    json.Field("name", view.name);
    json.Field("meaning", In(language, view.meaning));
    columns(view.name);
  });
  list("functions", Functions(), [&](const FunctionFacts& function) {
    json.Field("call", function.call);
    json.Field("meaning", In(language, function.meaning));
  });
  list("library", Library(), [&](const SavedQuery& query) {
    json.Field("name", query.name);
    json.Field("usage", query.usage);
    json.Field("meaning", In(language, query.meaning));
    json.Field("sql", query.file);
  });
  json.EndObject();
  return text;
}

Message WhyEmpty(std::string_view table) {
  const auto lacks = [&]() -> Message {
    constexpr std::array<std::string_view, 9> kDevice{"kernel", "kernels",     "step_devices",
                                                      "idle",   "idle_causes", "device_timeline",
                                                      "queues", "gpu_slice",   "launches"};
    if (std::ranges::find(kDevice, table) != kDevice.end()) return Say("query.lacks.device-work");
    if (table == "op" || table.starts_with("ops")) return Say("query.lacks.ops");
    if (table == "call") return Say("query.lacks.calls");
    if (table.starts_with("collective")) return Say("query.lacks.collectives");
    if (table == "flow") return Say("query.lacks.flows");
    if (table.starts_with("counter")) return Say("query.lacks.counters");
    if (table == "memory" || table == "device_memory") return Say("query.lacks.memory");
    if (table == "step" || table == "steps") return Say("query.lacks.steps");
    if (table == "hlo") return Say("query.lacks.hlo");
    if (table == "execution_node" || table == "tensor_use") return Say("query.lacks.execution");
    if (table == "modules") return Say("query.lacks.modules");
    return Say("query.lacks.rows");
  };
  return Say("query.empty-table", std::string(table), lacks());
}

}  // namespace stepscope::query
