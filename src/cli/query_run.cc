#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/query_request.h"
#include "command/errors.h"
#include "command/terminal_language.h"
#include "io/byte_sink.h"
#include "query/describe.h"
#include "query/library.h"
#include "query/sql_words.h"
#include "words/command.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCommandTexts> Say;

constexpr std::string_view kVerb = "query";
constexpr uint64_t kRowsOfTable = 1000;

int PrintFault(const query::SqlFault& fault, const QueryRequest& request) {
  const Language language = TerminalLanguage();
  std::string text = FormatError(kVerb, {fault.code, fault.sentence, {}, {}, {}}, language);
  if (fault.offset) text += query::CaretAt(request.sql, *fault.offset, request.style.width);
  if (!fault.next_step.empty()) {
    text += Render(Say("command.next", Render(fault.next_step, language)), language) + '\n';
  }
  std::fwrite(text.data(), 1, text.size(), stderr);
  return ExitCodeFor(fault.code);
}

}  // namespace

std::optional<uint64_t> RowLimit(const QueryRequest& request) {
  if (request.limit > 0) return static_cast<uint64_t>(request.limit);
  if (request.limit == 0 || request.format != query::RowFormat::kTable) return std::nullopt;
  return kRowsOfTable;
}

bool TakeSaved(std::string_view text, QueryRequest& request) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(" \t\r\n;") + 1 - first);
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  const query::SavedQuery* const saved = query::FindSaved(text.substr(0, end));
  if (saved == nullptr) return false;
  request.sql = saved->file;
  const size_t argument = text.find_first_not_of(" \t", end);
  if (argument != std::string_view::npos) {
    request.arguments.insert(request.arguments.begin(), std::string(text.substr(argument)));
  }
  return true;
}

int AnswerQuery(query::Database& database, const QueryRequest& request,
                const std::stop_token& stop) {
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(request.output, Compression::kNone);
  if (!sink) return PrintError(kVerb, sink.error());
  const std::unique_ptr<query::RowWriter> writer =
      query::MakeRowWriter(request.format, request.style, **sink);
  query::QueryLimits limits{
      .rows = RowLimit(request), .stop = stop, .arguments = request.arguments};
  if (request.timeout > 0) {
    limits.time = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(request.timeout));
  }
  const query::SqlResult<query::QueryOutcome> outcome = database.Run(
      request.explain ? "EXPLAIN QUERY PLAN " + request.sql : request.sql, limits, *writer);
  if (!outcome) return PrintFault(outcome.error(), request);
  Result<void> written = writer->Finish(*outcome);
  if (written) written = (*sink)->Close();
  if (!written) return PrintError(kVerb, written.error());
  for (const std::string& table : outcome->empty_tables) {
    fmt::print(stderr, "{}\n", request.style.Say(query::WhyEmpty(table)));
  }
  return kExitFine;
}

}  // namespace stepscope
