#include "read/tfevents/run_log.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "io/tfrecord.h"
#include "read/tfevents/event.h"
#include "read/tfevents/restarts.h"
#include "read/tfevents/series_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

Message SentenceOf(const RecordDamage& damage) {
  if (damage.zeros) {
    return damage.rest_unread ? Say("read.zero-bytes-unread", damage.skipped)
                              : Say("read.zero-bytes", damage.skipped);
  }
  return Say("read.skipped-for-good", SentenceOf(damage.kind), damage.skipped);
}

// One pass over all files of a run.
class RunPass {
 public:
  RunPass(RunLog& run, const ReadRunOptions& options) : run_(run), options_(options) {}

  // `visit` gets each event and returns false to stop.
  template <typename Visit>
  void Over(const std::vector<std::string>& paths, Visit&& visit) {
    for (const std::string& path : paths) {
      if (!OverFile(path, visit)) return;
    }
  }

 private:
  template <typename Visit>
  bool OverFile(const std::string& path, Visit&& visit) {
    Result<RecordFile> opened = OpenRecordFile(path);
    if (!opened) {
      run_.damage.push_back({path, 0, opened.error().sentence});
      return true;
    }
    EventFile& file = run_.files.emplace_back();
    file.path = path;
    file.bytes = opened->size_on_disk;
    RecordStream records(*opened->bytes);
    const size_t damage_before = run_.damage.size();
    uint64_t reported = 0;
    for (;;) {
      const RecordStream::Outcome outcome = records.Next();
      if (outcome == RecordStream::Outcome::kEnd) break;
      if (outcome == RecordStream::Outcome::kDamage) {
        run_.damage.push_back({path, records.damage().offset, SentenceOf(records.damage())});
        continue;
      }
      Event event;
      if (!ParseEvent(records.data(), event)) {
        run_.damage.push_back({path, records.offset(), Say("read.event-left-out")});
        continue;
      }
      ++file.events;
      if (run_.damage.size() > damage_before) ++file.events_after_damage;
      if (!visit(event, path, records.offset())) return false;
      if (options_.read_bytes && records.position() - reported > kReportBytes) {
        options_.read_bytes(records.position() - reported);
        reported = records.position();
      }
    }
    file.cut_bytes = records.cut_bytes();
    file.cut_at = records.cut_offset();
    if (options_.read_bytes) options_.read_bytes(records.position() - reported);
    return true;
  }

  static constexpr uint64_t kReportBytes = uint64_t{1} << 20;
  RunLog& run_;
  const ReadRunOptions& options_;
};

void AddToSeries(const Event& event, uint64_t ordinal, RestartFinder* restarts,
                 SeriesBuilder& series) {
  switch (event.what) {
    case EventWhat::kSummary: {
      SummaryValue value;
      for (SummaryValues values(event.payload); values.Next(value);) {
        series.NoteMetadata(value);
        if (restarts != nullptr) {
          if (const auto by = restarts->HiddenBy(ordinal, event.step, value.tag)) {
            ++restarts->restarts()[*by].hidden;
            continue;
          }
        }
        series.AddValue(event, value);
      }
      return;
    }
    case EventWhat::kGraphDef:
      return series.AddMessage(event, TagKind::kGraph, "graph", event.payload);
    case EventWhat::kMetaGraphDef:
      return series.AddMessage(event, TagKind::kMetaGraph, "meta_graph", event.payload);
    case EventWhat::kRunMetadata:
      return series.AddMessage(event, TagKind::kRunMetadata, event.tag, event.payload);
    case EventWhat::kNothing:
    case EventWhat::kFileVersion:
    case EventWhat::kLogMessage:
    case EventWhat::kSessionLog:
      return;
  }
}

}  // namespace

std::string_view NameOf(TagKind kind) {
  switch (kind) {
    case TagKind::kScalar:
      return "scalar";
    case TagKind::kHistogram:
      return "histogram";
    case TagKind::kText:
      return "text";
    case TagKind::kImage:
      return "image";
    case TagKind::kAudio:
      return "audio";
    case TagKind::kTensor:
      return "tensor";
    case TagKind::kGraph:
      return "graph";
    case TagKind::kMetaGraph:
      return "meta_graph";
    case TagKind::kRunMetadata:
      return "run_metadata";
  }
  std::unreachable();
}

RunLog ReadRun(std::string name, const std::vector<std::string>& files,
               const ReadRunOptions& options) {
  const bool keep_all = options.restarts == ReadRunOptions::Restarts::kKeep;
  RunLog run;
  RestartFinder restarts;
  SeriesBuilder series(options);
  RunPass(run, options).Over(files, [&](const Event& event, const std::string& file, uint64_t at) {
    restarts.Add(event, file, at);
    AddToSeries(event, 0, nullptr, series);
    return true;
  });
  restarts.Finish();
  run.tags = series.Take();
  if (restarts.hides() && !keep_all) {
    // The first pass counted what the restarts hide: sum up once more, as far as it had read.
    ReadRunOptions again = options;
    again.embedded = nullptr;
    again.read_bytes = nullptr;
    SeriesBuilder visible(again);
    RunLog ignored;
    uint64_t ordinal = 0;
    RunPass(ignored, again).Over(files, [&](const Event& event, const std::string&, uint64_t) {
      if (ordinal == restarts.events()) return false;
      AddToSeries(event, ordinal++, &restarts, visible);
      return true;
    });
    run.tags = visible.Take();
  }
  run.name = std::move(name);
  run.restarts = std::move(restarts.restarts());
  if (keep_all) {
    for (Restart& restart : run.restarts) restart.hides = false;
  }
  return run;
}

}  // namespace stepscope
