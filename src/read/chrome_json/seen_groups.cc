#include "read/chrome_json/seen_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/json_document.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {
namespace {

constexpr int64_t kMostRanks = 1 << 16;  // a damaged size must not fill the memory

// The group's ranks, from the list or from the first one and the stride; empty where neither says.
std::vector<int64_t> RanksOf(const SeenGroup& group) {
  std::vector<int64_t> ranks;
  const std::string& list = group.ranks;
  const bool cut = list.find("...") != std::string::npos;
  for (const char* at = list.data(); at < list.data() + list.size() && !cut;) {
    int64_t rank = 0;
    const auto [end, error] = std::from_chars(at, list.data() + list.size(), rank);
    if (error == std::errc{}) ranks.push_back(rank);
    at = error == std::errc{} ? end : at + 1;
  }
  if (ranks.empty() && group.start >= 0 && group.stride > 0 && group.size <= kMostRanks) {
    for (int64_t i = 0; i < group.size; ++i) ranks.push_back(group.start + i * group.stride);
  }
  if (static_cast<int64_t>(ranks.size()) != group.size) ranks.clear();
  std::ranges::sort(ranks);
  return ranks;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + '"';
}

}  // namespace

void SeeGroup(const RawArgs& args, std::vector<SeenGroup>& groups) {
  if (!args.Has(Arg::kGroupRanks) && !args.Has(Arg::kGroupDescription)) return;
  const auto same = [&](const SeenGroup& group) {
    return group.name == args.TextOf(Arg::kGroupName).view() &&
           group.description == args.TextOf(Arg::kGroupDescription).view() &&
           group.size == args.Number(Arg::kGroupSize, -1);
  };
  if (std::ranges::any_of(groups, same)) return;
  groups.push_back({std::string(args.TextOf(Arg::kGroupName).view()),
                    std::string(args.TextOf(Arg::kGroupDescription).view()),
                    std::string(args.TextOf(Arg::kGroupRanks).view()),
                    args.Number(Arg::kGroupSize, -1), args.Number(Arg::kGroupStart, -1),
                    args.Number(Arg::kGroupStride, -1)});
}

void NoteGroups(const std::vector<SeenGroup>& groups, RunFacts& facts) {
  constexpr const char* kNote = "process_groups";
  std::map<std::string, bool> known;  // by name: with all its ranks
  std::string list;
  if (const auto note = facts.notes.find(kNote); note != facts.notes.end()) {
    const Result<JsonValue> declared = ParseJson(note->second);
    if (!declared) return;
    for (const JsonValue& item : declared->items()) {
      const auto ranks = static_cast<int64_t>(item["ranks"].items().size());
      known[std::string(item["pg_name"].text())] =
          ranks > 0 && (item["pg_size"].is_null() || item["pg_size"].AsInt() == ranks);
    }
  }
  for (const SeenGroup& group : groups) {
    const std::vector<int64_t> ranks = RanksOf(group);
    const auto at = known.find(group.name);
    // Calls that carry nothing ("wait") name a group of one.
    if (group.size == 1 || (at != known.end() && (at->second || ranks.empty()))) continue;
    known[group.name] = !ranks.empty();
    list += fmt::format(R"({}{{"pg_name":{},"pg_desc":{},"pg_size":{},"ranks":[{}]}})",
                        list.empty() ? "" : ",", Quoted(group.name), Quoted(group.description),
                        group.size, fmt::join(ranks, ","));
  }
  if (list.empty()) return;
  std::string& note = facts.notes[kNote];
  const size_t from = note.find('['), to = note.find_last_of(']');
  const bool has = from != std::string::npos && to > from;
  const std::string before = has ? note.substr(from + 1, to - from - 1) : std::string();
  const bool empty = before.find('{') == std::string::npos;
  // What collectives say comes first: it has the ranks that the top of the file may have cut.
  note = fmt::format("[{}{}{}]", list, empty ? "" : ",", empty ? "" : before);
}

}  // namespace stepscope::chrome_json
