#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "advise/settings.h"
#include "cli/query_request.h"
#include "cli/stop_on_signal.h"
#include "command/ask.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "io/byte_source.h"
#include "query/describe.h"
#include "study/study.h"
#include "words/cli.h"
#include "words/query.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQueryTexts, kCliTexts> Say;

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
  OptionParser parser(kVerb, "[OPTIONS] [SQL | NAME] PATH...", Say("query.help.about"));
  parser.Text("-f,--file", "FILE", Say("query.help.file"), &options.file);
  parser.Choice("--format", {"table", "csv", "json", "jsonl", "parquet"}, Say("query.help.format"),
                &options.format);
  parser.Text("-o,--output", "FILE", Say("query.help.out"), &options.output);
  parser.Integer("--limit", "N", Say("query.help.limit"), &options.limit, 0);
  parser.Number("--timeout", "S", Say("query.help.timeout"), &options.timeout);
  parser.Texts("--arg", "VALUE", Say("query.help.arg"), &options.arguments);
  parser.Text("--run", "NAME", Say("cli.run"), &options.run);
  parser.Section(Say("query.help.around"));
  parser.Flag("--list", Say("query.help.list"), &options.list);
  parser.Flag("--tables", Say("query.help.tables"), &options.tables);
  parser.Flag("--explain", Say("query.help.explain"), &options.explain);
  AddOutputOptions(parser, &options.style);
  parser.Positionals("SQL PATH", &options.words, 0);
  parser.Example(
      "stepscope query \"SELECT name, sum(dur) FROM kernel GROUP BY name ORDER BY 2 "
      "DESC LIMIT 5\" trace.json.gz",
      Say("query.help.example"));
  parser.Example("stepscope query slow-kernels trace.json.gz", Say("query.help.example-saved"));
  parser.Example("stepscope query trace.json.gz", Say("query.help.example-prompt"));
  parser.Example(
      "stepscope query --format parquet -o idle.parquet \"SELECT * FROM idle\" "
      "rank*.json.gz",
      Say("query.help.example-parquet"));
  parser.Example("stepscope query --tables kernel", Say("query.help.example-tables"));
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
      return Fail(ErrorCode::kUsage, Say("query.not-terminal"), {}, Say("query.add-output"));
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
    return Fail(ErrorCode::kUsage, Say("query.no-profile"), {},
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
  return Fail(ErrorCode::kUsage, Say("query.no-saved", options.words[0]), {},
              "stepscope query --list");
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
                                  .stop = stop,
                                  .ask = AskUser()});
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
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  if (const std::optional<Result<std::string>> text = LookAround(options)) {
    return ExitCodeAfter(kVerb, *text);
  }
  return Run(options);
}

}  // namespace stepscope
