#include "query/stored_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "io/byte_source.h"
#include "present/json_writer.h"
#include "read/chrome_json/event_text.h"
#include "read/execution_trace/execution_rows.h"
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

void WriteValue(JsonWriter& json, const perfetto::StoredValue& value);

// A dict whose names repeat keeps the last of them, as Perfetto does.
void WriteItems(JsonWriter& json, const std::vector<perfetto::StoredValue>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    const bool again = std::any_of(items.begin() + static_cast<ptrdiff_t>(i) + 1, items.end(),
                                   [&](const auto& later) { return later.name == items[i].name; });
    if (again) continue;
    json.Key(items[i].name);
    WriteValue(json, items[i]);
  }
}

void WriteValue(JsonWriter& json, const perfetto::StoredValue& value) {
  using Type = perfetto::StoredValue::Type;
  switch (value.type) {
    case Type::kNone:
      return json.Value(nullptr);
    case Type::kBool:
      return json.Value(value.bits != 0);
    case Type::kInteger:
      return json.Value(static_cast<int64_t>(value.bits));
    case Type::kUnsigned:
      return json.Value(value.bits);
    case Type::kReal:
      return json.Value(std::bit_cast<double>(value.bits));
    case Type::kText:
      return json.Value(value.text);
    case Type::kDict:
      json.BeginObject();
      WriteItems(json, value.items);
      return json.EndObject();
    case Type::kArray:
      json.BeginArray();
      for (const perfetto::StoredValue& item : value.items) WriteValue(json, item);
      return json.EndArray();
  }
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

Result<std::string> StoredEvents::OfPackets(uint32_t event) const {
  std::call_once(opened_,
                 [this] { packets_ = perfetto::StoredEvents::Open(study_.ReadPathOf(trace_)); });
  if (!packets_) return std::unexpected(packets_.error());
  const Result<perfetto::StoredEvent> stored = (*packets_)->Event(event);
  if (!stored) return std::unexpected(stored.error());
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("packet", stored->message);
  if (!stored->categories.empty()) json.Field("categories", stored->categories);
  json.Key("args");
  json.BeginObject();
  WriteItems(json, stored->details);
  json.EndObject();
  json.EndObject();
  return out;
}

std::string StoredEvents::WithExecution(std::string json, uint32_t event) const {
  const std::vector<ExecutionNode>& nodes = study_.execution(trace_).nodes;
  if (nodes.empty()) return json;
  const Trace& trace = study_.trace(trace_);
  std::call_once(joined_, [&] {
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].slice != kNoRow) node_of_[trace.slices.event[nodes[i].slice]] = i;
    }
  });
  const auto at = node_of_.find(event);
  const size_t end = json.rfind('}');
  if (at == node_of_.end() || end == std::string::npos) return json;
  const ExecutionNode& node = nodes[at->second];
  const auto list = [&](StringId text) {
    return text == kEmptyString ? std::string("[]") : chrome_json::StrictJson(trace.strings[text]);
  };
  json.insert(end, fmt::format(R"(,"execution_trace":{{"node":{},"inputs":{},"input_shapes":{},)"
                               R"("outputs":{},"output_shapes":{}}})",
                               node.id, list(node.input_values), list(node.input_dims),
                               list(node.output_values), list(node.output_dims)));
  return json;
}

Result<std::string> StoredEvents::Json(uint32_t event) const {
  Result<std::string> json = OfFile(event);
  if (!json) return json;
  return WithExecution(std::move(*json), event);
}

Result<std::string> StoredEvents::OfFile(uint32_t event) const {
  const Trace& trace = study_.trace(trace_);
  if (trace.facts.format == Format::kPerfetto && trace.path != "-") return OfPackets(event);
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
