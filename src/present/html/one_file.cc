#include "present/html/one_file.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "analyze/report.h"
#include "analyze/timeline_tiles/tile_block.h"
#include "analyze/timeline_tiles/timeline.h"
#include "present/html/page_files.h"
#include "present/html/timeline_json.h"
#include "present/json_writer.h"
#include "present/report_json.h"
#include "words/report.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReportTexts> Say;

constexpr size_t kTileBytes = 1'000'000;  // before base64, over all traces
constexpr size_t kTables = 1'000'000;     // bytes of JSON, over all traces

template <typename Row>
void Cut(std::vector<Row>& rows, size_t most) {
  if (rows.size() > most) rows.resize(most);
}

// All rows of a report can be too large for a mail, so the rows at the end of each table are
// dropped first.
std::string ReportsJson(std::span<const Reported> reports, Language language) {
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
    WriteReportsJson(shown, language, json);
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

  // Adds one line after the other until there is no room; names come with each.
  void Write(const Timeline& timeline, size_t trace, Interval stretch, int shift) {
    const int tile = shift + kTileBucketsLog2;
    for (const uint32_t line : LinesByWorth(timeline)) {
      const std::string bytes = EncodeTiles(
          timeline, {std::span(&line, 1), shift, std::max<int64_t>(stretch.start.ns, 0) >> tile,
                     std::max<int64_t>(stretch.end.ns, 0) >> tile});
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

// The whole trace coarse, then finer, then the median step finer still.
void WriteTiles(const Timeline& timeline, const Reported& reported, size_t trace, size_t most_bytes,
                JsonWriter& json) {
  const DurationNs span = timeline.trace().span;
  TileWriter writer(json, most_bytes);
  const Interval all{{0}, TimeNs{0} + span};
  const int coarse = ShiftFor(span, 1);
  writer.Write(timeline, trace, all, std::min(coarse + 2, kMaxTileShift));
  writer.Write(timeline, trace, all, coarse);
  if (coarse > 0) writer.Write(timeline, trace, all, coarse - 1);
  const std::vector<Step>& steps = reported.linked->steps.items;
  const uint32_t judged = reported.report->verdict.step;
  if (judged >= steps.size()) return;
  const Step& step = steps[judged];
  const int fine = ShiftFor(step.duration, 2);
  if (fine < coarse - 1) writer.Write(timeline, trace, {step.start, step.end()}, fine);
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

Result<std::string> OneFileHtml(std::span<const Reported> reports, Language language,
                                TaskPool& pool) {
  if (!HasPage()) {
    return Fail(ErrorCode::kUnsupported, Say("report.no-web"), {}, Say("report.make-release"));
  }
  std::string data;
  JsonWriter json(data);
  json.BeginObject();
  json.Field("version", STEPSCOPE_VERSION);
  json.Field("language", language == Language::kChinese ? "zh" : "en");
  json.Field("name", std::filesystem::path(reports.front().trace().path).filename().string());
  std::string timelines, tiles;
  JsonWriter timelines_json(timelines), tiles_json(tiles);
  timelines_json.BeginArray();
  tiles_json.BeginArray();
  for (size_t i = 0; i < reports.size(); ++i) {
    const Timeline timeline(reports[i].trace(), reports[i].report->idle_gaps, pool);
    WriteTimelineTrace(timeline, 0, false, timelines_json);
    WriteTiles(timeline, reports[i], i, kTileBytes / reports.size(), tiles_json);
  }
  timelines_json.EndArray();
  tiles_json.EndArray();
  json.Key("timelines");
  json.Raw(timelines);
  json.Key("tiles");
  json.Raw(tiles);
  json.Key("report");
  json.Raw(ReportsJson(reports, language));
  json.EndObject();

  std::string page(OneFileHead());
  page += WithoutMarkup(data);
  page += OneFileTail();
  return page;
}

}  // namespace stepscope
