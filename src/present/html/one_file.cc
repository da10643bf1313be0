#include "present/html/one_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>

#include "analyze/report.h"
#include "analyze/timeline_tiles/tile_block.h"
#include "analyze/timeline_tiles/timeline.h"
#include "present/html/explore_json.h"
#include "present/html/page_files.h"
#include "present/html/timeline_json.h"
#include "present/json_writer.h"
#include "present/report_json.h"
#include "words/report.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReportTexts> Say;

constexpr size_t kTileBytes = 1'600'000;  // before base64, over all traces
constexpr size_t kFlameNodes = 800;       // of each flame graph, over all traces
constexpr size_t kTables = 1'000'000;     // bytes of JSON, over all traces

template <typename Row>
void Cut(std::vector<Row>& rows, size_t most) {
  if (rows.size() > most) rows.resize(most);
}

// All rows of a report can be too large for a mail, so the rows at the end of each table are
// dropped first.
std::string ReportsJson(std::span<const Reported> reports, const JobsReport* jobs,
                        Language language) {
  std::vector<Report> cut;
  for (const Reported& reported : reports) cut.push_back(*reported.report);
  std::vector<Reported> shown(reports.begin(), reports.end());
  for (size_t i = 0; i < cut.size(); ++i) shown[i].report = &cut[i];
  std::string json;
  for (size_t most = 2000; most >= 20; most /= 2) {
    for (Report& report : cut) {
      Cut(report.ops, most);
      Cut(report.ops_by_shape, most / 2);
      Cut(report.kernels, most);
      Cut(report.modules, most);
    }
    json.clear();
    WriteReportsJson(shown, jobs, language, json);
    if (json.size() <= kTables) break;
  }
  return json;
}

// Devices first, then what idles them, counters, and threads with most to show.
std::vector<uint32_t> LinesByWorth(const Timeline& timeline) {
  const auto lines = timeline.lines();
  std::vector<uint32_t> order(lines.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto rank = [&](uint32_t index) {
    const Line& line = lines[index];
    if (line.kind == LineKind::kIdle) return 0;
    const bool stream = line.kind == LineKind::kTrack &&
                        timeline.trace().tracks[Index(line.track)].kind == TrackKind::kStream;
    if (stream) return 1;
    return line.kind == LineKind::kCounter ? 2 : 3;
  };
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : lines[a].spans > lines[b].spans;
  });
  return order;
}

// The resolution at which a stretch takes at most this many tiles.
int ShiftFor(DurationNs length, int64_t tiles) {
  int shift = 0;
  while (shift < kMaxTileShift && (length.ns >> (shift + kTileBucketsLog2)) >= tiles) ++shift;
  return shift;
}

class TileWriter {
 public:
  TileWriter(JsonWriter& json, size_t most_bytes) : json_(json), left_(most_bytes) {}

  // What is left after this much is kept for later.
  void Allow(size_t bytes) { left_ += bytes; }

  // Adds one line after the other until there is no room; names come with each.
  void Write(const Timeline& timeline, size_t trace, Interval stretch, int shift) {
    const int tile = shift + kTileBucketsLog2;
    for (const uint32_t line : LinesByWorth(timeline)) {
      const std::string bytes = EncodeTiles(
          timeline, {std::span(&line, 1), shift, std::max<int64_t>(stretch.start.ns, 0) >> tile,
                     std::max<int64_t>(stretch.end.ns, 0) >> tile, true});
      if (bytes.size() > left_) continue;
      left_ -= bytes.size();
      json_.BeginObject();
      json_.Field("trace", trace);
      json_.Field("base64", Base64(bytes));
      json_.EndObject();
    }
  }

 private:
  JsonWriter& json_;
  size_t left_;
};

// The finest resolution, up to single spans, at which all lines of a stretch take no more bytes.
int FinestFor(const Timeline& timeline, Interval stretch, size_t most_bytes) {
  std::vector<uint32_t> lines(timeline.lines().size());
  std::iota(lines.begin(), lines.end(), 0U);
  constexpr int64_t kMostTiles = 256, kFewestTiles = 2;
  for (int64_t tiles = kMostTiles; tiles > kFewestTiles; tiles /= 4) {
    const int shift = ShiftFor(stretch.length(), tiles);
    const int tile = shift + kTileBucketsLog2;
    const size_t bytes =
        EncodeTiles(timeline, {lines, shift, stretch.start.ns >> tile, stretch.end.ns >> tile})
            .size();
    if (bytes <= most_bytes) return shift;
  }
  return ShiftFor(stretch.length(), kFewestTiles);
}

// The used step that took longest; kNoRow if none is used.
uint32_t SlowestStep(const std::vector<Step>& steps) {
  uint32_t slowest = kNoRow;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].used()) continue;
    if (slowest == kNoRow || steps[i].duration > steps[slowest].duration) slowest = i;
  }
  return slowest;
}

// The whole trace, coarse and then finer; the median step and the slowest as fine as there is room.
void WriteTiles(const Timeline& timeline, const Reported& reported, size_t trace, size_t most_bytes,
                JsonWriter& json) {
  const DurationNs span = timeline.trace().span;
  const size_t for_all = most_bytes / 4, for_step = most_bytes / 8 * 3;
  TileWriter writer(json, for_all);
  const Interval all{{0}, TimeNs{0} + span};
  const int coarse = ShiftFor(span, 1);
  writer.Write(timeline, trace, all, std::min(coarse + 2, kMaxTileShift));
  writer.Write(timeline, trace, all, coarse);
  if (coarse > 0) writer.Write(timeline, trace, all, coarse - 1);
  const std::vector<Step>& steps = reported.linked->steps.items;
  const uint32_t judged = reported.report->verdict.step;
  for (const uint32_t index : {judged, SlowestStep(steps)}) {
    writer.Allow(for_step);
    if (index >= steps.size() || steps[index].start.ns < 0) continue;
    const Interval step{steps[index].start, steps[index].end()};
    const int fine = FinestFor(timeline, step, for_step);
    if (fine < coarse - 1) writer.Write(timeline, trace, step, fine);
  }
}

// Flame graphs by every question that the profile can answer.
void WriteFlames(const Reported& reported, size_t trace, size_t most_nodes, JsonWriter& json) {
  const RunFacts& facts = reported.trace().facts;
  struct Question {
    FlameBy by;
    FlameMetric metric;
    std::string_view by_name, metric_name;
  };
  constexpr std::array kQuestions{
      Question{FlameBy::kStack, FlameMetric::kHost, "stack", "host"},
      Question{FlameBy::kStack, FlameMetric::kDevice, "stack", "device"},
      Question{FlameBy::kModule, FlameMetric::kDevice, "module", "device"},
  };
  for (const Question& question : kQuestions) {
    if (question.by == FlameBy::kModule && !facts.has_modules) continue;
    const FlameTree tree = BuildFlame(reported.trace(), reported.linked->links, question.by,
                                      question.metric, most_nodes);
    if (tree.nodes.size() < 2) continue;
    json.BeginObject();
    json.Field("trace", trace);
    json.Field("by", question.by_name);
    json.Field("metric", question.metric_name);
    json.Key("flame");
    WriteFlame(tree, json);
    json.EndObject();
  }
}

void WritePaths(std::span<const Reported> reports, JsonWriter& json) {
  json.Key("paths");
  json.BeginArray();
  for (const Reported& reported : reports) {
    const CriticalPath path = AnalyzeCriticalPath(*reported.linked, reported.report->verdict.step);
    constexpr size_t kMostSpans = 20'000;
    // A path of more spans than can be seen would only make the file larger.
    if (path.spans.size() <= kMostSpans / reports.size()) {
      WriteCriticalPath(reported.trace(), path, json);
    } else {
      json.Value(nullptr);
    }
  }
  json.EndArray();
}

// JSON text with no "<" in it; strings are the only place where one can stand.
std::string WithoutMarkup(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace

std::string Base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    const size_t in = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j) {
      group = (group << 8) | (j < in ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    }
    for (size_t j = 0; j < 4; ++j) {
      out.push_back(j <= in ? kDigits[(group >> (18 - 6 * j)) & 63] : '=');
    }
  }
  return out;
}

std::string OneFileData(std::span<const Reported> reports, const JobsReport* jobs,
                        Language language, size_t tile_bytes, TaskPool& pool) {
  std::string data;
  JsonWriter json(data);
  json.BeginObject();
  json.Field("version", STEPSCOPE_VERSION);
  json.Field("language", language == Language::kChinese ? "zh" : "en");
  json.Field("name", std::filesystem::path(reports.front().trace().path).filename().string());
  std::string timelines, tiles, flames;
  JsonWriter timelines_json(timelines), tiles_json(tiles), flames_json(flames);
  timelines_json.BeginArray();
  tiles_json.BeginArray();
  flames_json.BeginArray();
  for (size_t i = 0; i < reports.size(); ++i) {
    const Timeline timeline(reports[i].trace(), reports[i].report->idle_gaps, pool);
    WriteTimelineTrace(timeline, 0, false, timelines_json);
    WriteTiles(timeline, reports[i], i, tile_bytes / reports.size(), tiles_json);
    WriteFlames(reports[i], i, std::max<size_t>(kFlameNodes / reports.size(), 50), flames_json);
  }
  timelines_json.EndArray();
  tiles_json.EndArray();
  flames_json.EndArray();
  json.Key("timelines");
  json.Raw(timelines);
  json.Key("tiles");
  json.Raw(tiles);
  json.Key("flames");
  json.Raw(flames);
  WritePaths(reports, json);
  json.Key("report");
  json.Raw(ReportsJson(reports, jobs, language));
  json.EndObject();
  return data;
}

Result<std::string> OneFilePage(std::string_view data) {
  if (!HasPage()) {
    return Fail(ErrorCode::kUnsupported, Say("report.no-web"), {}, Say("report.make-release"));
  }
  std::string page(OneFileHead());
  page += WithoutMarkup(data);
  page += OneFileTail();
  return page;
}

Result<std::string> OneFileHtml(std::span<const Reported> reports, const JobsReport* jobs,
                                Language language, TaskPool& pool) {
  // Without a page the work would be for nothing.
  return HasPage() ? OneFilePage(OneFileData(reports, jobs, language, kTileBytes, pool))
                   : OneFilePage({});
}

}  // namespace stepscope
