#include "serve/trace_api.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "analyze/report.h"
#include "analyze/timeline_tiles/tile_block.h"
#include "serve/trace_json.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

// The parameters of a question: numbers out of range are refused.
class Parameters {
 public:
  explicit Parameters(const std::map<std::string, std::string>& values) : values_(values) {}

  std::string Text(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string() : found->second;
  }
  std::optional<int64_t> Number(const std::string& name, int64_t least, int64_t most) const {
    const std::string text = Text(name);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return whole && number >= least && number <= most ? std::optional(number) : std::nullopt;
  }
  // "1,2,3": each below the limit, none twice; at most `most` of them.
  std::optional<std::vector<uint32_t>> Numbers(const std::string& name, size_t limit,
                                               size_t most) const {
    std::vector<uint32_t> numbers;
    const std::string text = Text(name);
    const char* at = text.data();
    const char* const last = text.data() + text.size();
    while (at < last) {
      uint32_t number = 0;
      const auto [end, error] = std::from_chars(at, last, number);
      if (error != std::errc() || number >= limit || numbers.size() >= most) return std::nullopt;
      if (end < last && *end != ',') return std::nullopt;
      numbers.push_back(number);
      at = end + 1;
    }
    std::vector<uint32_t> sorted = numbers;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
    return numbers;
  }

 private:
  const std::map<std::string, std::string>& values_;
};

HttpAnswer Wrong() { return Refusal(400, Say("serve.parameter")); }
HttpAnswer Json(std::string body) { return {.body = std::move(body)}; }

constexpr int64_t kMostTime = int64_t{1} << 62;
constexpr size_t kMostLines = 512;

HttpAnswer Tiles(const LoadedTrace& loaded, const Parameters& ask) {
  constexpr int64_t kMostTiles = 16;
  const auto lines = ask.Numbers("lines", loaded.timeline().lines().size(), kMostLines);
  const auto shift = ask.Number("shift", 0, kMaxTileShift);
  if (!lines || !shift) return Wrong();
  const int64_t last_of_all = kMostTime >> (*shift + kTileBucketsLog2);
  const auto first = ask.Number("first", 0, last_of_all);
  const auto last = ask.Number("last", 0, last_of_all);
  if (!first || !last || *last < *first || *last - *first >= kMostTiles) return Wrong();
  return {
      .type = "application/octet-stream",
      .body = EncodeTiles(loaded.timeline(), {*lines, static_cast<int>(*shift), *first, *last})};
}

std::optional<uint32_t> SliceOf(const LoadedTrace& loaded, const Parameters& ask) {
  const auto row = ask.Number("row", 0, int64_t{loaded.trace().slices.size()} - 1);
  return row ? std::optional(static_cast<uint32_t>(*row)) : std::nullopt;
}

HttpAnswer Slice(const LoadedTrace& loaded, const Parameters& ask) {
  const auto row = SliceOf(loaded, ask);
  return row ? Json(SliceJson(loaded, *row)) : Wrong();
}

HttpAnswer Arguments(const LoadedTrace& loaded, const Parameters& ask) {
  const auto row = SliceOf(loaded, ask);
  if (!row) return Wrong();
  const Result<std::string> event = loaded.EventJson(loaded.trace().slices.event[*row]);
  if (event) return Json(*event);
  return Refusal(event.error().code == ErrorCode::kUnsupported ? 404 : 500, event.error().sentence);
}

HttpAnswer Event(const LoadedTrace& loaded, const Parameters& ask) {
  const auto ordinal = ask.Number("ordinal", 0, kNoRow);
  if (!ordinal) return Wrong();
  const auto& events = loaded.trace().slices.event;
  const auto found = std::ranges::find(events, static_cast<uint32_t>(*ordinal));
  return Json(SliceRefJson(
      loaded, found == events.end() ? kNoRow : static_cast<uint32_t>(found - events.begin())));
}

HttpAnswer Idle(const LoadedTrace& loaded, const Parameters& ask) {
  const Timeline& timeline = loaded.timeline();
  const auto index = ask.Number("line", 0, static_cast<int64_t>(timeline.lines().size()) - 1);
  if (!index) return Wrong();
  const Line& line = timeline.lines()[static_cast<size_t>(*index)];
  if (line.kind != LineKind::kIdle) return Wrong();
  const auto gap = ask.Number("gap", 0, static_cast<int64_t>(line.spans) - 1);
  return gap ? Json(IdleJson(loaded, line, static_cast<uint32_t>(*gap))) : Wrong();
}

std::optional<Kind> KindNamed(std::string_view name) {
  for (int kind = 0; kind <= static_cast<int>(Kind::kOverhead); ++kind) {
    if (NameOf(static_cast<Kind>(kind)) == name) return static_cast<Kind>(kind);
  }
  return std::nullopt;
}

HttpAnswer Calls(const LoadedTrace& loaded, const Parameters& ask) {
  const auto name = ask.Number("name", 0, int64_t{loaded.trace().strings.size()} - 1);
  const auto kind = KindNamed(ask.Text("kind"));
  if (!name || !kind) return Wrong();
  const StringId id{static_cast<uint32_t>(*name)};
  return Json(CallsJson(loaded, id, StatisticsOfCalls(loaded.trace(), id, *kind)));
}

HttpAnswer Selected(const LoadedTrace& loaded, const Parameters& ask) {
  const auto from = ask.Number("from", -kMostTime, kMostTime);
  const auto to = ask.Number("to", -kMostTime, kMostTime);
  if (!from || !to || *to < *from) return Wrong();
  const auto lines = ask.Numbers("lines", loaded.timeline().lines().size(), kMostLines);
  const std::string by = ask.Text("by");
  if (!lines || (by != "" && by != "name" && by != "kind" && by != "op")) return Wrong();
  const SelectionQuestion question{.stretch = {{*from}, {*to}},
                                   .lines = *lines,
                                   .by = by == "kind" ? SelectionBy::kKind
                                         : by == "op" ? SelectionBy::kOp
                                                      : SelectionBy::kName};
  return Json(
      SelectionJson(loaded, question.stretch,
                    AggregateSelection(loaded.timeline(), loaded.linked().links, question)));
}

HttpAnswer Search(const LoadedTrace& loaded, const Parameters& ask) {
  constexpr size_t kLongestQuestion = 8000;
  const std::string text = ask.Text("text");
  const auto first = ask.Number("first", 0, kNoRow);
  if (text.empty() || text.size() > kLongestQuestion || !first) return Wrong();
  const auto hits =
      loaded.Search(text, ask.Text("regex") == "1" ? SearchMode::kRegex : SearchMode::kText);
  if (!hits) return Refusal(400, hits.error().sentence);
  return Json(SearchJson(loaded, **hits, static_cast<size_t>(*first)));
}

HttpAnswer Flame(const LoadedTrace& loaded, const Parameters& ask) {
  constexpr size_t kMostNodes = 6000;
  const std::string by = ask.Text("by");
  const std::string metric = ask.Text("metric");
  const bool known = (by == "stack" || by == "module" || by == "scope") &&
                     (metric == "host" || metric == "device");
  if (!known) return Wrong();
  return Json(FlameJson(BuildFlame(loaded.trace(), loaded.linked().links,
                                   by == "stack"    ? FlameBy::kStack
                                   : by == "module" ? FlameBy::kModule
                                                    : FlameBy::kScope,
                                   metric == "host" ? FlameMetric::kHost : FlameMetric::kDevice,
                                   kMostNodes)));
}

HttpAnswer Memory(const LoadedTrace& loaded, const Parameters& ask) {
  const auto time = ask.Number("at", -kMostTime, kMostTime);
  const std::string wanted = ask.Text("device");
  if (!time) return Wrong();
  for (const MemoryRow& row : loaded.report().memory) {
    if (DeviceIdOf(row.type, row.device) != wanted) continue;
    return Json(
        HoldersJson(wanted, {*time}, HoldersAt(loaded.trace(), row.type, row.device, {*time})));
  }
  return Refusal(404, Say("serve.no-memory"));
}

HttpAnswer CriticalPath(const LoadedTrace& loaded, const Parameters&) {
  return Json(CriticalPathJson(loaded));
}

HttpAnswer Queues(const LoadedTrace& loaded, const Parameters&) {
  constexpr size_t kMostPoints = 1500;
  return Json(
      QueuesJson(loaded, QueueDepthsOf(loaded.trace(), loaded.linked().links, kMostPoints)));
}

HttpAnswer Names(const LoadedTrace& loaded, const Parameters& ask) {
  constexpr size_t kMostNames = 1000;
  const auto ids = ask.Numbers("ids", loaded.trace().strings.size(), kMostNames);
  return ids ? Json(NamesJson(loaded, *ids)) : Wrong();
}

HttpAnswer Graph(const LoadedTrace& loaded, const Parameters&) {
  if (loaded.graph() == nullptr) return Refusal(404, Say("serve.no-graph"));
  return Json(GraphJson(*loaded.graph()));
}

struct Question {
  std::string_view name;
  HttpAnswer (*answer)(const LoadedTrace&, const Parameters&);
};
constexpr std::array kQuestions{
    Question{"tiles", Tiles},
    Question{"slice", Slice},
    Question{"args", Arguments},
    Question{"event", Event},
    Question{"idle", Idle},
    Question{"calls", Calls},
    Question{"selection", Selected},
    Question{"search", Search},
    Question{"flame", Flame},
    Question{"memory", Memory},
    Question{"names", Names},
    Question{"graph", Graph},
    Question{"critical_path", CriticalPath},
    Question{"queues", Queues},
};

}  // namespace

HttpAnswer AnswerAboutTrace(const LoadedTrace& loaded, std::string_view question,
                            const std::map<std::string, std::string>& parameters) {
  const auto found = std::ranges::find(kQuestions, question, &Question::name);
  if (found == kQuestions.end()) return Refusal(404, Say("serve.no-question"));
  return found->answer(loaded, Parameters(parameters));
}

}  // namespace stepscope
