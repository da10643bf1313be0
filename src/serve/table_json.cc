#include <algorithm>
#include <string>

#include "present/html/explore_json.h"
#include "present/json_writer.h"
#include "serve/trace_json.h"

namespace stepscope {

std::string SelectionJson(const LoadedTrace& loaded, Interval stretch, const Selection& selection) {
  constexpr size_t kMostRows = 2000;
  const Trace& trace = loaded.trace();
  const auto device_of = [&](const SelectionDevice& row) {
    const Device& device = trace.devices[static_cast<size_t>(row.device)];
    return DeviceIdOf(device.type, device.index);
  };
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("from_ns", stretch.start.ns);
  json.Field("to_ns", stretch.end.ns);
  json.Field("spans", selection.spans);
  json.Key("rows");
  json.BeginArray();
  const size_t shown = std::min(selection.rows.size(), kMostRows);
  for (size_t i = 0; i < shown; ++i) {
    const SelectionRow& row = selection.rows[i];
    json.BeginObject();
    json.Field("kind", NameOf(row.kind));
    json.Field("name", trace.strings[row.name]);
    json.Field("calls", row.calls);
    json.Field("total_ns", row.total.ns);
    json.Field("self_ns", row.self.ns);
    json.Field("max_ns", trace.slices.duration[row.longest].ns);
    json.Field("longest", row.longest);
    json.EndObject();
  }
  json.EndArray();
  json.Field("rows_left_out", selection.rows.size() - shown);
  json.Objects("busy", selection.devices, [&](const SelectionDevice& device) {
    json.Field("device", device_of(device));
    json.Field("ns", device.busy.ns);
  });
  json.Key("idle");
  json.BeginArray();
  for (const SelectionDevice& device : selection.devices) {
    for (size_t cause = 0; cause < kCauses; ++cause) {
      if (device.idle[cause].ns == 0) continue;
      json.BeginObject();
      json.Field("device", device_of(device));
      json.Field("cause", NameOf(static_cast<Cause>(cause)));
      json.Field("ns", device.idle[cause].ns);
      json.EndObject();
    }
  }
  json.EndArray();
  json.EndObject();
  return out;
}

std::string FlameJson(const FlameTree& tree) {
  std::string out;
  JsonWriter json(out);
  WriteFlame(tree, json);
  return out;
}

std::string QueuesJson(const LoadedTrace& loaded, std::span<const QueueDepth> queues) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Key("queues");
  json.BeginArray();
  for (const QueueDepth& queue : queues) {
    const auto same = [&](const Device& device) {
      return device.index == queue.device && device.type != DeviceType::kCpu;
    };
    const auto device = std::ranges::find_if(loaded.trace().devices, same);
    json.BeginObject();
    json.Field("device", device == loaded.trace().devices.end()
                             ? std::string()
                             : DeviceIdOf(device->type, device->index));
    json.Field("stream", queue.stream);
    json.Key("time_ns");
    json.BeginArray();
    for (const TimeNs time : queue.time) json.Value(time.ns);
    json.EndArray();
    json.Key("depth");
    json.BeginArray();
    for (const uint32_t depth : queue.depth) json.Value(depth);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return out;
}

std::string CriticalPathJson(const LoadedTrace& loaded) {
  std::string out;
  JsonWriter json(out);
  WriteCriticalPath(loaded.trace(), loaded.critical_path(), json);
  return out;
}

std::string HoldersJson(std::string_view device, TimeNs time, const Holders& holders) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Field("device", device);
  json.Field("time_ns", time.ns);
  json.Field("allocated_bytes", holders.bytes);
  json.Field("before_bytes", holders.before);
  json.Field("live", holders.blocks);
  json.Objects("holders", holders.holders, [&](const Holder& holder) {
    json.Field("op", holder.op);
    json.Field("bytes", holder.bytes);
    json.Field("blocks", holder.blocks);
  });
  json.EndObject();
  return out;
}

std::string GraphJson(const OpGraph& graph) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Objects("nodes", graph.nodes, [&](const OpGraphNode& node) {
    json.Field("name", node.name);
    json.Field("op", node.op);
    json.Field("device", node.device);
    json.Field("shape", node.shape);
    json.Field("host_ns", node.host.ns);
    json.Field("device_ns", node.device_time.ns);
    json.Field("allocated_bytes", node.allocated);
    json.Key("inputs");
    json.BeginArray();
    for (const uint32_t input : node.inputs) json.Value(input);
    json.EndArray();
  });
  json.EndObject();
  return out;
}

std::string NamesJson(const LoadedTrace& loaded, std::span<const uint32_t> ids) {
  const StringTable& strings = loaded.trace().strings;
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  for (const uint32_t id : ids) {
    if (id < strings.size()) json.Field(std::to_string(id), strings[StringId{id}]);
  }
  json.EndObject();
  return out;
}

}  // namespace stepscope
