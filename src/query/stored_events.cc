#include "query/stored_events.h"

#include <fmt/format.h>

#include <string>

#include "io/byte_source.h"
#include "present/json_writer.h"
#include "read/chrome_json/event_text.h"
#include "read/file_type.h"
#include "read/rocprof/rocprof_json.h"
#include "read/sqlite_readers.h"
#include "read/xplane/stored_event.h"
#include "study/study.h"
#include "words/query.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQueryTexts, kReadTexts> Say;

bool IsJson(Format format) {
  return format == Format::kKineto || format == Format::kOnnxRuntime ||
         format == Format::kTensorFlowTimeline || format == Format::kChrome;
}

Result<std::string> XEventJson(const std::string& path, uint32_t event) {
  const Result<xplane::StoredEvent> stats = xplane::ReadStoredEvent(path, event);
  if (!stats) return std::unexpected(stats.error());
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("plane", stats->plane);
  json.Field("line", stats->line);
  json.Field("name", stats->name);
  json.Field("offset_ps", std::to_string(stats->offset_ps));
  json.Field("duration_ps", std::to_string(stats->duration_ps));
  json.Key("args");
  json.BeginObject();
  for (const auto& [name, value] : stats->stats) json.Field(name, value);
  json.EndObject();
  json.EndObject();
  return out;
}

Result<std::string> RowJson(const std::string& path, const EventCounts& counts, uint32_t event) {
  const Result<StoredRow> row = ReadStoredRow(path, counts, event);
  if (!row) return std::unexpected(row.error());
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("table", row->table);
  json.Key("args");
  json.BeginObject();
  for (const auto& [column, value] : row->values) json.Field(column, value);
  json.EndObject();
  json.EndObject();
  return out;
}

Result<std::string> RecordJson(const std::string& path, uint32_t event) {
  const Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(bytes.error());
  const RocprofRecord record =
      FindRocprofRecord({bytes->bytes().data(), bytes->bytes().size()}, event);
  if (record.json.empty()) {
    return Fail(ErrorCode::kDamaged, Say("read.event-gone"), path, Say("read.open-again"));
  }
  return fmt::format(R"({{"table":{},"args":{}}})",
                     chrome_json::StrictJson(fmt::format("\"{}\"", record.table)),
                     chrome_json::StrictJson(record.json));
}

}  // namespace

StoredEvents::StoredEvents(const Study& study, size_t trace, Access access)
    : study_(study), trace_(trace), many_(access == Access::kMany) {}

RandomAccess* StoredEvents::File() const {
  std::call_once(opened_, [this] {
    const Trace& trace = study_.trace(trace_);
    if (!IsJson(trace.facts.format) || trace.places.empty()) return;
    if (auto file = RandomAccess::Open(study_.ReadPathOf(trace_))) file_ = std::move(*file);
  });
  return file_.get();
}

Result<std::string> StoredEvents::Json(uint32_t event) const {
  const Trace& trace = study_.trace(trace_);
  if (trace.facts.format == Format::kXPlane) return XEventJson(study_.ReadPathOf(trace_), event);
  if (trace.facts.format == Format::kNsys || trace.facts.format == Format::kRocprof) {
    // A report of Nsight Systems is read through the export beside it.
    const std::string& given = study_.ReadPathOf(trace_);
    const FileType type = FileTypeAt(given);
    if (type == FileType::kRocprofJson) return RecordJson(given, event);
    return RowJson(type == FileType::kSqlite ? given : trace.path, trace.events, event);
  }
  RandomAccess* const file = File();
  if (file == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                trace.path == "-" ? Say("query.read-once") : Say("query.no-single-events"));
  }
  Result<std::string> text = many_ ? blocks_.Text(*file, trace.places, event)
                                   : chrome_json::ReadEventText(*file, trace.places, event);
  if (!text) return text;
  return chrome_json::StrictJson(*text);
}

void StoredEvents::Prepare(const std::stop_token& stop) const {
  if (RandomAccess* const file = File()) file->Prepare(stop);
}

}  // namespace stepscope
