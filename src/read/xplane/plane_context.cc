#include "read/xplane/plane_context.h"

namespace stepscope::xplane {
namespace {

NameMeaning MeaningOnHost(std::string_view name, const HloNames& hlo) {
  const HostName known = ClassifyHostName(name);
  NameMeaning meaning;
  meaning.name = name;
  meaning.kind = known.kind;
  meaning.stats = known.stats;
  meaning.maybe_annotation = known.maybe_annotation;
  meaning.frees = name == "MemoryDeallocation";
  if (known.maybe_annotation && hlo.on_devices.contains(name)) {
    meaning.kind = Kind::kOp;
    meaning.maybe_annotation = false;
  }
  return meaning;
}

NameMeaning MeaningOnDevice(const Plane& plane, const EventMetadata& metadata, PlaneType type,
                            const HloNames& hlo) {
  NameMeaning meaning;
  meaning.name = metadata.display_name.empty() ? metadata.name : metadata.display_name;
  meaning.stats = 0xff;
  std::string_view category;
  plane.ForEachStat(metadata.stats, [&](std::string_view stat, const StatValue& value) {
    if (stat == "hlo_category") category = plane.Text(value);
    if (stat == "tf_op") meaning.op = plane.Text(value);
    if (stat == "bytes_accessed") meaning.bytes = value.Integer(-1);
  });
  if (meaning.op.ends_with(':')) meaning.op.remove_suffix(1);
  meaning.kind = type == PlaneType::kTpu && !category.empty() ? KindOfXlaOp(category)
                                                              : KindOfStreamEvent(meaning.name);
  if (meaning.kind != Kind::kCopy) meaning.bytes = -1;
  const auto instruction = hlo.by_kernel.find(std::string(meaning.name));
  if (instruction != hlo.by_kernel.end()) meaning.instruction = instruction->second;
  return meaning;
}

}  // namespace

PlaneContext MakePlaneContext(const Plane& plane, const HloNames& hlo) {
  PlaneContext context;
  context.plane = &plane;
  context.parsed = ParsePlaneName(plane.name);
  context.device = context.parsed.index;
  context.roles = RolesOf(plane);
  context.names.reserve(plane.events.size());
  for (const EventMetadata& metadata : plane.events) {
    context.names.push_back(context.parsed.is_device()
                                ? MeaningOnDevice(plane, metadata, context.parsed.type, hlo)
                                : MeaningOnHost(metadata.name, hlo));
  }
  for (uint32_t row = 0; row < context.names.size(); ++row) {
    const uint64_t id = plane.events[row].id;
    if (context.names[row].kind == Kind::kAllocation && plane.event_rows[id] == row) {
      context.memory_events.push_back(id);
    }
  }
  plane.ForEachStat(plane.stats, [&](std::string_view stat, const StatValue& value) {
    if (stat == "core_count") context.sm_count = static_cast<int32_t>(value.Integer(0));
  });
  return context;
}

}  // namespace stepscope::xplane
