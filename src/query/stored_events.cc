#include "query/stored_events.h"

#include "present/json_writer.h"
#include "read/chrome_json/event_text.h"
#include "read/xplane/stored_event.h"
#include "study/study.h"
#include "words/query.h"

namespace stepscope {
namespace {

constexpr SayFrom<kQueryTexts> Say;

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
