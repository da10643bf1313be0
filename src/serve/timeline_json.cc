#include "present/html/timeline_json.h"
#include "present/json_writer.h"
#include "serve/trace_json.h"

namespace stepscope {

std::string TimelineJson(const LoadedProfile& profile) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Key("traces");
  json.BeginArray();
  for (size_t i = 0; i < profile.traces().size(); ++i) {
    WriteTimelineTrace(profile.traces()[i]->timeline(), profile.OffsetOf(i),
                       profile.traces()[i]->graph() != nullptr, json);
  }
  json.EndArray();
  json.EndObject();
  return out;
}

}  // namespace stepscope
