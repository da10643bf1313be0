#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json_document.h"
#include "io/byte_source.h"
#include "ranks/flight_recorder.h"
#include "read/pickle/pickle.h"
#include "words/ranks.h"

namespace stepscope {
namespace {

constexpr SayFrom<kRanksTexts> Say;

constexpr uint64_t kMostBytes = uint64_t{512} << 20;
constexpr size_t kMostFrames = 64;

// The two documents a dump may be, with the same questions.
class PickleDocument {
 public:
  using Value = Pickle::Handle;
  explicit PickleDocument(const Pickle& pickle) : pickle_(pickle) {}
  Value root() const { return pickle_.root(); }
  Value Get(Value dict, std::string_view key) const { return pickle_.Get(dict, key); }
  std::vector<Value> Items(Value list) const {
    const auto items = pickle_.Items(list);
    return {items.begin(), items.end()};
  }
  std::vector<std::pair<std::string, Value>> Members(Value dict) const {
    std::vector<std::pair<std::string, Value>> members;
    const auto pairs = pickle_.Members(dict);
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      members.emplace_back(pickle_.Text(pairs[i]), pairs[i + 1]);
    }
    return members;
  }
  std::string Text(Value value) const { return std::string(pickle_.Text(value)); }
  int64_t Integer(Value value, int64_t none) const {
    return pickle_.TypeOf(value) == Pickle::Type::kInteger ? pickle_.Integer(value) : none;
  }
  bool IsTrue(Value value) const {
    return pickle_.TypeOf(value) == Pickle::Type::kBool && pickle_.Integer(value) != 0;
  }
  bool IsList(Value value) const { return pickle_.TypeOf(value) == Pickle::Type::kList; }

 private:
  const Pickle& pickle_;
};

class JsonDocument {
 public:
  using Value = const JsonValue*;
  explicit JsonDocument(const JsonValue& root) : root_(root) {}
  Value root() const { return &root_; }
  Value Get(Value dict, std::string_view key) const { return &(*dict)[key]; }
  std::vector<Value> Items(Value list) const {
    std::vector<Value> items;
    for (const JsonValue& item : list->items()) items.push_back(&item);
    return items;
  }
  std::vector<std::pair<std::string, Value>> Members(Value dict) const {
    std::vector<std::pair<std::string, Value>> members;
    for (const auto& [key, value] : dict->members()) members.emplace_back(key, &value);
    return members;
  }
  std::string Text(Value value) const {
    return value->kind() == JsonValue::Kind::kString ? value->text() : std::string();
  }
  int64_t Integer(Value value, int64_t none) const {
    return value->kind() == JsonValue::Kind::kNumber ? value->AsInt() : none;
  }
  bool IsTrue(Value value) const { return value->AsBool(); }
  bool IsList(Value value) const { return value->kind() == JsonValue::Kind::kArray; }

 private:
  const JsonValue& root_;
};

std::vector<int64_t> NumbersIn(std::string_view text) {
  std::vector<int64_t> numbers;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error == std::errc{}) numbers.push_back(number);
    at = error == std::errc{} ? end : at + 1;
  }
  return numbers;
}

template <typename Document>
class DumpReader {
 public:
  DumpReader(const Document& document, FlightDump& dump) : doc_(document), dump_(dump) {}

  bool Read() {
    const Value entries = doc_.Get(doc_.root(), "entries");
    if (!doc_.IsList(entries)) return false;
    for (const auto& [name, config] : doc_.Members(doc_.Get(doc_.root(), "pg_config"))) {
      ReadGroup(name, config);
    }
    for (const Value entry : doc_.Items(entries)) ReadEntry(entry);
    return true;
  }

 private:
  using Value = typename Document::Value;

  void ReadGroup(const std::string& name, Value config) {
    FlightGroup& group = dump_.groups[name];
    group.description = doc_.Text(doc_.Get(config, "desc"));
    const Value ranks = doc_.IsList(config) ? config : doc_.Get(config, "ranks");
    group.ranks = NumbersIn(doc_.Text(ranks));
    for (const Value rank : doc_.Items(ranks)) group.ranks.push_back(doc_.Integer(rank, -1));
    std::erase(group.ranks, -1);
    std::ranges::sort(group.ranks);
  }

  // "[[2, 3], [4]]"
  std::string ListText(Value list) const {
    std::string text;
    for (const Value item : doc_.Items(list)) {
      std::string inner = doc_.Text(item);
      if (doc_.IsList(item)) {
        for (const Value size : doc_.Items(item)) {
          inner += fmt::format("{}{}", inner.empty() ? "" : ", ", doc_.Integer(size, -1));
        }
        inner = "[" + inner + "]";
      }
      text += (text.empty() ? "" : ", ") + inner;
    }
    return text;
  }

  void ReadEntry(Value entry) {
    FlightEntry row;
    const std::vector<Value> group = doc_.Items(doc_.Get(entry, "process_group"));
    if (!group.empty()) row.group = doc_.Text(group[0]);
    row.name = doc_.Text(doc_.Get(entry, "profiling_name"));
    row.point_to_point = doc_.IsTrue(doc_.Get(entry, "is_p2p"));
    row.sequence =
        doc_.Integer(doc_.Get(entry, row.point_to_point ? "p2p_seq_id" : "collective_seq_id"), -1);
    // Before version 2.0 there was one count.
    if (row.sequence < 0) row.sequence = doc_.Integer(doc_.Get(entry, "seq_id"), -1);
    row.state = doc_.Text(doc_.Get(entry, "state"));
    row.sizes = ListText(doc_.Get(entry, "input_sizes"));
    row.dtypes = ListText(doc_.Get(entry, "input_dtypes"));
    for (const Value frame : doc_.Items(doc_.Get(entry, "frames"))) {
      if (row.stack.size() == kMostFrames) break;
      row.stack.push_back(fmt::format("{} ({}:{})", doc_.Text(doc_.Get(frame, "name")),
                                      doc_.Text(doc_.Get(frame, "filename")),
                                      doc_.Integer(doc_.Get(frame, "line"), 0)));
    }
    if (group.size() > 1) {
      FlightGroup& known = dump_.groups[row.group];
      if (known.description.empty()) known.description = doc_.Text(group[1]);
    }
    dump_.entries.push_back(std::move(row));
  }

  const Document& doc_;
  FlightDump& dump_;
};

// The digits at the end of the name, extensions aside.
std::optional<int64_t> RankOfName(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of('/') + 1);
  for (const std::string_view extension : {".gz", ".zst", ".json", ".pickle", ".pkl"}) {
    if (name.ends_with(extension)) name.remove_suffix(extension.size());
  }
  size_t from = name.size();
  while (from > 0 && name[from - 1] >= '0' && name[from - 1] <= '9') --from;
  int64_t rank = 0;
  const auto [end, error] = std::from_chars(name.data() + from, name.data() + name.size(), rank);
  if (error != std::errc{}) return std::nullopt;
  return rank;
}

}  // namespace

bool IsFlightDump(std::string_view head) {
  const auto holds = [&](std::string_view text) {
    return head.find(text) != std::string_view::npos;
  };
  const bool pickle = head.size() > 2 && head[0] == '\x80';
  const bool json = !head.empty() && head.find_first_not_of(" \t\r\n") != std::string_view::npos &&
                    head[head.find_first_not_of(" \t\r\n")] == '{' && !holds("\"traceEvents\"");
  return (pickle || json) &&
         (holds("pg_config") || holds("pg_status") || holds("nccl_version") ||
          holds("comm_lib_version") || holds("collective_seq_id")) &&
         (holds("entries") || holds("collective_seq_id") || holds("profiling_name"));
}

Result<FlightDump> ReadFlightDump(const std::string& path) {
  Result<FileBytes> bytes = ReadWhole(path, kMostBytes);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  FlightDump dump;
  dump.path = path;
  const std::optional<int64_t> rank = RankOfName(path);
  if (!rank) {
    return Fail(ErrorCode::kUsage, Say("flight.no-rank"), path, Say("flight.name-them"));
  }
  dump.rank = *rank;
  if (bytes->damaged()) return std::unexpected(*bytes->damage());
  const std::string_view text(bytes->bytes().data(), bytes->bytes().size());
  bool read = false;
  if (!text.empty() && text[0] == '\x80') {
    const Result<Pickle> pickle = Pickle::Parse(text, path);
    if (!pickle) return std::unexpected(pickle.error());
    const PickleDocument document(*pickle);
    read = DumpReader(document, dump).Read();
  } else {
    Result<JsonValue> json = ParseJson(text);
    if (!json) {
      json.error().file = path;
      return std::unexpected(std::move(json.error()));
    }
    const JsonDocument document(*json);
    read = DumpReader(document, dump).Read();
  }
  if (!read) {
    return Fail(ErrorCode::kUnsupported, Say("flight.not-dump"), path, Say("flight.give-dump"));
  }
  return dump;
}

}  // namespace stepscope
