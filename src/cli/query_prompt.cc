#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "base/nearest.h"
#include "cli/query_request.h"
#include "cli/stop_on_signal.h"
#include "command/errors.h"
#include "command/prompt.h"
#include "query/describe.h"
#include "query/functions.h"
#include "query/library.h"
#include "words/query.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQueryTexts> Say;

constexpr std::string_view kVerb = "query";
constexpr std::array<std::string_view, 8> kCommands{".tables", ".schema",  ".list", ".mode",
                                                    ".limit",  ".timeout", ".help", ".quit"};
constexpr std::array<std::string_view, 15> kSqlWords{
    "SELECT", "FROM",   "WHERE",    "JOIN", "ON", "LEFT JOIN", "GROUP BY", "ORDER BY",
    "LIMIT",  "HAVING", "DISTINCT", "WITH", "AS", "COUNT(*)",  "BETWEEN"};
constexpr const char* kWordBreaks = " \t\n,()=<>;.";

bool Begins(std::string_view word, std::string_view with) {
  if (word.size() < with.size()) return false;
  return std::equal(with.begin(), with.end(), word.begin(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

// Commands, tables, columns, functions and words of SQL that begin like the last word.
std::vector<std::string> CompletionsOf(const query::Database& database, std::string_view text) {
  if (text.starts_with('.') && text.find(' ') == std::string_view::npos) {
    std::vector<std::string> found;
    for (const std::string_view command : kCommands) {
      if (command.starts_with(text)) found.emplace_back(command);
    }
    return found;
  }
  const size_t last = text.find_last_of(kWordBreaks);
  const std::string_view word = text.substr(last == std::string_view::npos ? 0 : last + 1);
  std::vector<std::string> known = database.TableNames();
  for (std::string& column : database.AllColumnNames()) known.push_back(std::move(column));
  for (const query::FunctionFacts& function : query::Functions()) {
    known.emplace_back(function.call.substr(0, function.call.find_first_of("( ")));
  }
  known.insert(known.end(), kSqlWords.begin(), kSqlWords.end());
  for (const query::SavedQuery& saved : query::Library()) known.emplace_back(saved.name);
  std::erase_if(known, [&](const std::string& each) { return !Begins(each, word); });
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  return known;
}

class Session {
 public:
  Session(query::Database& database, QueryRequest request)
      : database_(database), request_(std::move(request)) {}

  int Run() {
    Prompt lines("query_history", kWordBreaks,
                 [this](std::string_view text) { return CompletionsOf(database_, text); });
    const SayIn<kQueryTexts> say(request_.style);
    if (lines.is_terminal()) fmt::print("{}\n", say("query.prompt"));
    while (const std::optional<std::string> line =
               lines.Next(text_.empty() ? "stepscope query> " : "            ...> ")) {
      if (lines.cancelled()) {
        text_.clear();
      } else if (text_.empty() && line->starts_with('.')) {
        if (!Command(*line)) return status_;
      } else {
        Take(*line);
      }
      std::fflush(stdout);
    }
    if (!text_.empty()) RunText();
    return status_;
  }

 private:
  void Take(const std::string& line) {
    const bool empty = line.find_first_not_of(" \t\r") == std::string::npos;
    if (empty && text_.empty()) return;
    if (!empty) text_ += (text_.empty() ? "" : "\n") + line;
    QueryRequest saved = request_;
    if (empty || sqlite3_complete(text_.c_str()) != 0 || TakeSaved(text_, saved)) RunText();
  }

  void RunText() {
    QueryRequest request = request_;
    if (!TakeSaved(text_, request)) request.sql = text_;
    text_.clear();
    const StopOnSignal signals;  // Ctrl-C ends the query, not the prompt
    Remember(AnswerQuery(database_, request, signals.token()));
  }

  void Remember(int code) {
    if (code != kExitFine) status_ = code;
  }

  // False: leave.
  bool Command(const std::string& line) {
    const size_t blank = std::min(line.find(' '), line.size());
    const std::string_view word = std::string_view(line).substr(0, blank);
    const size_t begin = line.find_first_not_of(' ', blank);
    std::string_view rest;
    if (begin != std::string::npos) rest = std::string_view(line).substr(begin);
    const Style& style = request_.style;
    if (word == ".quit" || word == ".exit") return false;
    if (word == ".help") {
      fmt::print("{}", SayIn<kQueryTexts>(style)("query.prompt-help"));
    } else if (word == ".tables") {
      Show(rest.empty() ? Result<std::string>(query::TablesText(style))
                        : query::ColumnsText(database_, rest, style));
    } else if (word == ".schema") {
      Show(query::SchemaText(database_, rest));
    } else if (word == ".list") {
      fmt::print("{}", query::LibraryText(style));
    } else if (word == ".mode") {
      SetMode(rest);
    } else if (word == ".limit") {
      SetNumber(word, rest, request_.limit);
    } else if (word == ".timeout") {
      int64_t seconds = 0;
      if (SetNumber(word, rest, seconds)) request_.timeout = static_cast<double>(seconds);
    } else {
      const std::string_view near = Nearest(word, kCommands);
      Wrong(Say("query.no-command", word),
            near.empty() ? Say("query.type-help") : Say("query.did-you-mean", near));
    }
    return true;
  }

  void Show(const Result<std::string>& text) {
    if (text) return fmt::print("{}", *text);
    Remember(PrintError(kVerb, text.error()));
  }
  void Wrong(Message sentence, Message next) {
    Remember(PrintError(kVerb, {ErrorCode::kUsage, std::move(sentence), {}, {}, std::move(next)}));
  }

  void SetMode(std::string_view name) {
    using query::RowFormat;
    constexpr std::array<std::pair<std::string_view, RowFormat>, 4> kModes{
        {{"table", RowFormat::kTable},
         {"csv", RowFormat::kCsv},
         {"json", RowFormat::kJson},
         {"jsonl", RowFormat::kJsonl}}};
    for (const auto& [known, mode] : kModes) {
      if (known == name) {
        request_.format = mode;
        return;
      }
    }
    Wrong(Say("query.modes"), Say("query.type-mode"));
  }

  bool SetNumber(std::string_view command, std::string_view text, int64_t& into) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
    if (whole) {
      into = number;
    } else {
      Wrong(Say("query.takes-number", command), Say("query.type-zero", command));
    }
    return whole;
  }

  query::Database& database_;
  QueryRequest request_;
  std::string text_;  // a statement that is not complete yet
  int status_ = kExitFine;
};

}  // namespace

int RunQueryPrompt(query::Database& database, QueryRequest request) {
  return Session(database, std::move(request)).Run();
}

}  // namespace stepscope
