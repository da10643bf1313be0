#include "command/damage.h"
#include "present/json_writer.h"
#include "tools/memory/memory_text.h"

namespace stepscope {
namespace {

constexpr auto kLines = JsonWriter::Layout::kLines;

void WriteSites(JsonWriter& json, const char* key, const std::vector<SiteBytes>& sites,
                const char* what = "site") {
  json.Objects(key, kLines, sites, [&](const SiteBytes& site) {
    json.Field(what, site.site);
    json.Field("bytes", site.bytes);
    json.Field("blocks", site.blocks);
  });
}

void WriteDevice(JsonWriter& json, const DeviceMemory& memory) {
  json.BeginObject(kLines);
  json.Field("device", memory.device);
  json.Field("reserved_bytes", memory.reserved);
  json.Field("allocated_bytes", memory.allocated);
  json.Field("requested_bytes", memory.requested);
  json.Field("largest_free_bytes", memory.largest_free);
  json.Field("fragmentation", FragmentationOf(memory));
  json.Field("pinned_segments", memory.pinned_segments);
  json.Field("pinned_free_bytes", memory.pinned_free);
  json.Field("private_pool_bytes", memory.private_pools);
  json.Field("segments", memory.segments);
  json.Field("blocks", memory.blocks);
  json.Field("active_blocks", memory.active_blocks);
  json.Field("peak_bytes", memory.peak);
  json.Field("peak_after_us", memory.peak_after_us);
  json.Field("span_us", memory.span_us);
  json.Field("allocations", memory.allocs);
  json.Field("frees", memory.frees);
  json.Field("free_completions", memory.free_completions);
  json.Field("segment_allocations", memory.segment_allocs);
  json.Field("segment_allocations_after_first_step", memory.segment_allocs_after_first_step);
  json.Key("growth");
  if (memory.growth) {
    json.BeginObject(kLines);
    json.Field("mark", memory.growth->mark);
    json.Field("steps", memory.growth->steps);
    json.Field("bytes_per_step", memory.growth->bytes_per_step);
    json.Key("live_bytes");
    json.BeginArray();
    for (const int64_t live : memory.growth->live) json.Value(live);
    json.EndArray();
    WriteSites(json, "sites", memory.growth->sites);
    WriteSites(json, "modules", memory.growth->modules, "module");
    json.EndObject();
  } else {
    json.Value(nullptr);
  }
  json.Key("out_of_memory");
  if (memory.oom) {
    json.BeginObject();
    json.Field("wanted_bytes", memory.oom->wanted);
    json.Field("device_free_bytes", memory.oom->device_free);
    json.Field("cached_free_bytes", memory.oom->cached_free);
    json.Field("largest_free_bytes", memory.oom->largest_free);
    json.Field("fragmented", memory.oom->fragmented);
    json.EndObject();
  } else {
    json.Value(nullptr);
  }
  WriteSites(json, "at_peak", memory.at_peak);
  WriteSites(json, "modules_at_peak", memory.modules_at_peak, "module");
  WriteSites(json, "steps_at_peak", memory.steps_at_peak, "step");
  WriteSites(json, "now", memory.now);
  WriteSites(json, "modules_now", memory.modules_now, "module");
  json.EndObject();
}

}  // namespace

std::string MemoryJson(const MemoryView& view) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.memory/1");
  json.Field("expandable_segments", view.summary.expandable_segments);
  json.Key("devices");
  json.BeginArray(kLines);
  for (const DeviceMemory& memory : view.summary.devices) WriteDevice(json, memory);
  json.EndArray();
  if (view.against != nullptr) {
    WriteSites(json, "changes", ChangesOf(*view.against, view.summary, &DeviceMemory::now));
    WriteSites(json, "module_changes",
               ChangesOf(*view.against, view.summary, &DeviceMemory::modules_now), "module");
  }
  WriteDamage(json);
  json.EndObject();
  out += '\n';
  return out;
}

}  // namespace stepscope
