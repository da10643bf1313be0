#include "query/sql_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/nearest.h"
#include "present/style.h"
#include "present/unicode.h"
#include "query/functions.h"
#include "words/query.h"

namespace stepscope::query {
namespace {

constexpr SayFrom<kQueryTexts> Say;

size_t SkipSpace(std::string_view sql, size_t at) {
  while (at < sql.size()) {
    if (std::isspace(static_cast<unsigned char>(sql[at])) != 0) {
      ++at;
    } else if (sql.substr(at).starts_with("--")) {
      at = std::min(sql.find('\n', at), sql.size());
    } else if (sql.substr(at).starts_with("/*")) {
      const size_t end = sql.find("*/", at);
      at = end == std::string_view::npos ? sql.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

// "no such table: slce" → "slce"; the name without "main." or an alias.
std::string_view NameAfter(std::string_view sentence, std::string_view start) {
  if (!sentence.starts_with(start)) return {};
  sentence.remove_prefix(start.size());
  const size_t dot = sentence.rfind('.');
  return dot == std::string_view::npos ? sentence : sentence.substr(dot + 1);
}

std::string Near(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return std::string(Nearest(name, views));
}

// Columns of the tables that the query names, else of all.
std::vector<std::string> ColumnsNear(std::string_view sql, const SqlNames& names) {
  std::vector<std::string> near, all;
  for (const std::string& table : names.tables) {
    for (const std::string& column : names.columns_of(table)) {
      if (sql.find(table) != std::string_view::npos) near.push_back(column);
      all.push_back(column);
    }
  }
  return near.empty() ? all : near;
}

}  // namespace

std::vector<std::string> FirstWords(std::string_view sql, size_t most) {
  std::vector<std::string> words;
  for (size_t at = SkipSpace(sql, 0); at < sql.size() && words.size() < most;
       at = SkipSpace(sql, at)) {
    std::string word;
    while (at < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[at])) != 0 ||
                               sql[at] == '_' || sql[at] == '.')) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(sql[at++])));
    }
    if (word.empty()) break;
    words.push_back(std::move(word));
  }
  return words;
}

Sentences NextStepFor(std::string_view sentence, std::string_view sql, const SqlNames& names) {
  if (const std::string_view table = NameAfter(sentence, "no such table: "); !table.empty()) {
    const std::string near = Near(table, names.tables);
    return near.empty() ? Say("query.list-tables") : Say("query.did-you-mean", near);
  }
  if (const std::string_view column = NameAfter(sentence, "no such column: "); !column.empty()) {
    const std::string near = Near(column, ColumnsNear(sql, names));
    return near.empty() ? Say("query.list-columns") : Say("query.did-you-mean", near);
  }
  if (const std::string_view called = NameAfter(sentence, "no such function: "); !called.empty()) {
    std::vector<std::string> known{"count",  "sum",    "avg",    "min",      "max",
                                   "total",  "round",  "substr", "coalesce", "group_concat",
                                   "length", "printf", "regexp"};
    for (const FunctionFacts& function : Functions()) {
      known.emplace_back(function.call.substr(0, function.call.find('(')));
    }
    std::string lower(called);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::string near = Near(lower, known);
    return near.empty() ? Say("query.list-functions") : Say("query.did-you-mean", near + "()");
  }
  const std::vector<std::string> words = FirstWords(sql, 2);
  if (words.size() == 2 && words[0] == "CREATE" && words[1] == "PERFETTO") {
    return Say("query.temp-only");
  }
  return {};
}

std::string CaretAt(std::string_view sql, size_t offset, size_t width) {
  offset = std::min(offset, sql.size());
  const size_t before = sql.substr(0, offset).rfind('\n');
  const size_t first = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = sql.substr(first, sql.find('\n', first) - first);
  size_t place = offset - first;
  const size_t room = width > 8 ? width - 4 : width;
  std::string lead;
  if (place > room * 2 / 3) {
    size_t cut = place - room * 2 / 3;
    while (cut < place && (static_cast<unsigned char>(line[cut]) & 0xC0) == 0x80) ++cut;
    line.remove_prefix(cut);
    place -= cut;
    lead = "…";
  }
  const std::string head = lead + Printable(line.substr(0, place));
  const std::string tail =
      ShortenEnd(Printable(line.substr(place)),
                 std::max<size_t>(1, room - std::min(room - 1, DisplayWidth(head))), "…");
  return fmt::format("  {}{}\n  {}^\n", head, tail, std::string(DisplayWidth(head), ' '));
}

}  // namespace stepscope::query
