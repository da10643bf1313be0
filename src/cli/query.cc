#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "advise/settings.h"
#include "cli/query_request.h"
#include "cli/stop_on_signal.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/verb.h"
#include "io/byte_source.h"
#include "query/describe.h"
#include "study/study.h"

namespace stepscope {
namespace {

constexpr std::string_view kVerb = "query";

struct Options {
  std::vector<std::string> words;  // the SQL and the paths
  std::vector<std::string> arguments;
  std::string file, format, output = "-", run, config;
  int64_t limit = -1;
  double timeout = 0;
  bool list = false, tables = false, schema = false, explain = false;
  OutputOptions style;
};

OptionParser Parser(Options& options) {
  OptionParser parser(
      kVerb, "[OPTIONS] [SQL | NAME] PATH...",
      "Answers SQL over the tables of one or several profiles: SQLite reads Stepscope's own\n"
      "columns. Names are Perfetto's where it has them (slice, thread, ts, dur); HTA's and\n"
      "Nsight Systems' tables are there as views. Without SQL it asks for statements.\n"
      "NAME is a ready question (--list), with its argument: \"shapes-of aten::mm\".");
  parser.Text("-f,--file", "FILE", "read the SQL from a file; - is standard input", &options.file);
  parser.Choice("--format", {"table", "csv", "json", "jsonl", "parquet"},
                "how rows are written (default: table)", &options.format);
  parser.Text("-o,--output", "FILE", "write the rows there; the name may say the format",
              &options.output);
  parser.Integer("--limit", "N", "rows to write, 0 for all (default: 1000 of a table, else all)",
                 &options.limit, 0);
  parser.Number("--timeout", "S", "seconds that the query may take", &options.timeout);
  parser.Texts("--arg", "VALUE", "a value for ?1, ?2, … of the SQL", &options.arguments);
  parser.Text("--run", "NAME", "which run of a log directory (default: the newest)", &options.run);
  parser.Section("looking around");
  parser.Flag("--list", "the ready questions; with NAME: its SQL", &options.list);
  parser.Flag("--tables", "tables, views and functions; with NAME: its columns", &options.tables);
  parser.Flag("--explain", "how the rows would be found", &options.explain);
  AddOutputOptions(parser, &options.style);
  parser.Positionals("SQL PATH", &options.words, 0);
  parser.Example(
      "stepscope query \"SELECT name, sum(dur) FROM kernel GROUP BY name ORDER BY 2 "
      "DESC LIMIT 5\" trace.json.gz",
      "the five most expensive kernels");
  parser.Example("stepscope query slow-kernels trace.json.gz", "the same as a ready question");
  parser.Example("stepscope query trace.json.gz", "a prompt with history and completion");
  parser.Example(
      "stepscope query --format parquet -o idle.parquet \"SELECT * FROM idle\" "
      "rank*.json.gz",
      "rows for pandas, DuckDB or Spark");
  parser.Example("stepscope query --tables kernel", "the columns of a table");
  return parser;
}

Result<query::RowFormat> FormatOf(const Options& options) {
  using query::RowFormat;
  const std::string& name = options.format;
  const auto ends = [&](std::string_view end) { return options.output.ends_with(end); };
  if (name == "csv" || (name.empty() && ends(".csv"))) return RowFormat::kCsv;
  if (name == "jsonl" || (name.empty() && ends(".jsonl"))) return RowFormat::kJsonl;
  if (name == "parquet" || (name.empty() && ends(".parquet"))) {
    if (options.output == "-" && isatty(STDOUT_FILENO) != 0) {
      return Fail(ErrorCode::kUsage, "Parquet is not for a terminal", {}, "add -o FILE.parquet");
    }
    return RowFormat::kParquet;
  }
  const bool json = name == "json" || (name.empty() && (options.style.json || ends(".json")));
  return json ? RowFormat::kJson : RowFormat::kTable;
}

bool IsPath(const std::string& word) {
  std::error_code error;
  return word == "-" || std::filesystem::exists(word, error);
}

// The first word is SQL unless it is a path or the SQL is in a file.
Result<void> TakeSql(Options& options, QueryRequest& request) {
  if (!options.file.empty()) {
    Result<OpenedSource> source = OpenSource(options.file, {});
    if (!source) return std::unexpected(source.error());
    const Result<FileBytes> bytes = ReadWhole(std::move(*source));
    if (!bytes) return std::unexpected(bytes.error());
    request.sql.assign(bytes->bytes().data(), bytes->bytes().size());
  } else if (!options.words.empty() && !IsPath(options.words[0])) {
    const std::string word = options.words[0];
    options.words.erase(options.words.begin());
    if (!TakeSaved(word, request)) request.sql = word;
  }
  if (options.words.empty()) {
    return Fail(ErrorCode::kUsage, "no profile is named", {},
                "stepscope query \"SELECT ...\" trace.json.gz");
  }
  return {};
}

// --list and --tables need no profile.
std::optional<Result<std::string>> LookAround(const Options& options) {
  if (!options.list && !options.tables) return std::nullopt;
  const Style style = StyleFor(options.style);
  const query::QueryTables tables(std::vector<query::TraceAccess>{});
  const Result<std::unique_ptr<query::Database>> database = query::Database::Open(tables);
  if (!database) return std::unexpected(database.error());
  if (options.style.json) {
    return query::SchemaJson(**database, JsonLanguage(options.style)) + "\n";
  }
  if (options.tables) {
    return options.words.empty() ? query::TablesText(style)
                                 : query::ColumnsText(**database, options.words[0], style);
  }
  if (options.words.empty()) return query::LibraryText(style);
  QueryRequest saved;
  if (TakeSaved(options.words[0], saved)) return saved.sql;
  return Fail(ErrorCode::kUsage, fmt::format("no ready question is called {}", options.words[0]),
              {}, "stepscope query --list");
}

int Run(Options& options) {
  QueryRequest request;
  request.arguments = options.arguments;
  const Result<query::RowFormat> format = FormatOf(options);
  if (!format) return PrintError(kVerb, format.error());
  if (Result<void> taken = TakeSql(options, request); !taken) {
    return PrintError(kVerb, taken.error());
  }
  request.format = *format;
  request.output = options.output;
  request.limit = options.limit;
  request.timeout = options.timeout;
  request.explain = options.explain;
  request.style = StyleFor(options.style);
  Result<Settings> settings = LoadSettings(options.config);
  if (!settings) return PrintError(kVerb, settings.error());
  std::optional<StopOnSignal> signals;
  if (!request.sql.empty()) signals.emplace();
  const std::stop_token stop = signals ? signals->token() : std::stop_token();
  ProgressBar bar;
  const Result<std::unique_ptr<Study>> study =
      Study::Open(options.words, {.run = options.run,
                                  .settings = std::move(*settings),
                                  .threads = static_cast<unsigned>(options.style.threads),
                                  .progress = bar.callback(),
                                  .stop = stop});
  bar.Finish();
  if (!study) return PrintError(kVerb, study.error());
  const query::QueryTables tables(**study);
  const Result<std::unique_ptr<query::Database>> database = query::Database::Open(tables);
  if (!database) return PrintError(kVerb, database.error());
  if (request.sql.empty()) return RunQueryPrompt(**database, std::move(request));
  return AnswerQuery(**database, request, stop);
}

}  // namespace

int RunQuery(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  const Result<OptionParser::Outcome> parsed = parser.Parse(arguments);
  if (!parsed) return PrintError(kVerb, parsed.error());
  if (*parsed == OptionParser::Outcome::kHelp) {
    const Result<void> written = WriteOut(parser.Help());
    return written ? kExitFine : PrintError(kVerb, written.error());
  }
  if (const std::optional<Result<std::string>> text = LookAround(options)) {
    const Result<void> written = *text ? WriteOut(**text) : std::unexpected(text->error());
    return written ? kExitFine : PrintError(kVerb, written.error());
  }
  return Run(options);
}

}  // namespace stepscope
