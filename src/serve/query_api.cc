#include "serve/query_api.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "present/json_writer.h"
#include "query/database.h"
#include "query/describe.h"
#include "query/row_writers.h"
#include "serve/trace_api.h"

namespace stepscope {
namespace {

constexpr uint64_t kMostSqlRows = 100'000, kRows = 10'000;
// Below the time after which the connection counts as dead.
constexpr std::chrono::seconds kLongest{15};

std::string ParameterOf(const std::map<std::string, std::string>& parameters,
                        const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

HttpAnswer FaultAnswer(const query::SqlFault& fault, Language language) {
  HttpAnswer answer{.status = fault.code == ErrorCode::kUsage ? 400 : 503};
  JsonWriter json(answer.body, language);
  json.BeginObject();
  json.Field("sentence", fault.sentence);
  json.Field("offset", fault.offset);
  json.Field("next_step", fault.next_step);
  json.EndObject();
  return answer;
}

}  // namespace

HttpAnswer AnswerQuery(const LoadedProfile& loaded, const HttpRequest& request) {
  const std::string sql = ParameterOf(request.parameters, "sql");
  uint64_t limit = kRows;
  const std::string wanted = ParameterOf(request.parameters, "limit");
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), limit);
  query::QueryLimits limits{.rows = std::clamp<uint64_t>(limit, 1, kMostSqlRows), .time = kLongest};
  if (const std::string argument = ParameterOf(request.parameters, "arg"); !argument.empty()) {
    limits.arguments.push_back(argument);
  }
  const Result<std::unique_ptr<query::Database>> database = query::Database::Open(loaded.tables());
  if (!database) return Refusal(500, database.error().sentence);
  query::JsonRows rows;
  const query::SqlResult<query::QueryOutcome> outcome = (*database)->Run(sql, limits, rows);
  if (!outcome) return FaultAnswer(outcome.error(), request.language());
  return {.body = rows.Take(*outcome)};
}

HttpAnswer QueryTablesAnswer(const LoadedProfile& loaded, const HttpRequest& request) {
  const Result<std::unique_ptr<query::Database>> database = query::Database::Open(loaded.tables());
  if (!database) return Refusal(500, database.error().sentence);
  HttpAnswer answer;
  JsonWriter json(answer.body);
  json.BeginObject();
  json.Key("slices");
  json.BeginArray();
  for (const auto& trace : loaded.traces()) json.Value(trace->trace().slices.size());
  json.EndArray();
  json.Key("schema");
  json.Raw(query::SchemaJson(**database, request.language()));
  json.EndObject();
  return answer;
}

}  // namespace stepscope
