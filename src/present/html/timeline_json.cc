#include "present/html/timeline_json.h"

#include <string>
#include <utility>

namespace stepscope {
namespace {

std::string_view NameOf(LineKind kind) {
  switch (kind) {
    case LineKind::kTrack:
      return "track";
    case LineKind::kInstants:
      return "instants";
    case LineKind::kIdle:
      return "idle";
    case LineKind::kCounter:
      return "counter";
  }
  std::unreachable();
}

std::string_view NameOf(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
      return "thread";
    case TrackKind::kStream:
      return "stream";
    case TrackKind::kAsync:
      return "async";
    case TrackKind::kOther:
      return "other";
  }
  std::unreachable();
}

std::string DeviceOf(const Trace& trace, int32_t device) {
  if (device < 0) return {};
  const Device& known = trace.devices[static_cast<size_t>(device)];
  return DeviceIdOf(known.type, known.index);
}

// The device whose stream this is: the accelerator with the track's index.
std::string DeviceOf(const Trace& trace, const Track& track) {
  if (track.kind != TrackKind::kStream || track.device < 0) return {};
  for (const Device& device : trace.devices) {
    if (device.index == track.device && device.type != DeviceType::kCpu) {
      return DeviceIdOf(device.type, device.index);
    }
  }
  return {};
}

void WriteLine(const Timeline& timeline, const Line& line, JsonWriter& json) {
  const Trace& trace = timeline.trace();
  const Track* track = line.track == kNoTrack ? nullptr : &trace.tracks[Index(line.track)];
  const bool counter = line.kind == LineKind::kCounter;
  json.BeginObject();
  json.Field("kind", NameOf(line.kind));
  json.Field("name", track != nullptr ? trace.strings[track->name] : std::string_view(line.name));
  json.Field("series", line.series);
  json.Field("process", Index(line.process));
  json.Field("track", track != nullptr ? int64_t{Index(line.track)} : int64_t{-1});
  json.Field("track_kind", NameOf(track != nullptr ? track->kind : TrackKind::kOther));
  json.Field("key", track != nullptr ? std::string_view(track->key) : std::string_view());
  json.Field("lane", track != nullptr ? track->lane : 0U);
  json.Field("device", track != nullptr ? DeviceOf(trace, *track) : DeviceOf(trace, line.device));
  json.Field("stream", track != nullptr ? track->stream : -1);
  json.Field("sort", track != nullptr ? track->sort_index : int64_t{0});
  json.Field("depths", line.depths);
  json.Field("spans", line.spans);
  json.Field("min", counter ? double{timeline.counter(line).min()} : 0.0);
  json.Field("max", counter ? double{timeline.counter(line).max()} : 0.0);
  json.Field("unit", line.bytes ? "bytes" : "");
  json.EndObject();
}

}  // namespace

void WriteTimelineTrace(const Timeline& timeline, int64_t offset_ns, bool has_graph,
                        JsonWriter& json) {
  const Trace& trace = timeline.trace();
  json.BeginObject();
  json.Field("span_ns", trace.span.ns);
  json.Field("offset_ns", offset_ns);
  json.Field("host", trace.facts.host);
  json.Field("rank", trace.facts.rank);
  json.Objects("processes", trace.processes, [&](const Process& process) {
    json.Field("key", process.key);
    json.Field("name", trace.strings[process.name]);
    json.Field("labels", trace.strings[process.labels]);
    json.Field("sort", process.sort_index);
  });
  json.Key("lines");
  json.BeginArray();
  for (const Line& line : timeline.lines()) WriteLine(timeline, line, json);
  json.EndArray();
  WriteFacts(trace, has_graph, json);
  json.EndObject();
}

void WriteFacts(const Trace& trace, bool has_graph, JsonWriter& json) {
  json.Key("facts");
  json.BeginObject();
  json.Field("shapes", trace.facts.has_shapes);
  json.Field("stacks", trace.facts.has_stacks || !trace.frame_args.empty());
  json.Field("modules", trace.facts.has_modules);
  json.Field("memory", !trace.allocations.empty());
  json.Field("graph", has_graph);
  json.EndObject();
}

}  // namespace stepscope
