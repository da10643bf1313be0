#include "read/xplane/module_runs.h"

#include <algorithm>

#include "read/xplane/event.h"

namespace stepscope::xplane {

void AddModuleRuns(const Line& line, const SpaceBytes& file, PlaneContext& context) {
  if (line.name != "XLA Modules" && line.name != "Sparse Core Modules") return;
  EventStats stats;
  for (const Chunk& chunk : line.chunks) {
    const SpaceBytes::Piece piece = file.Load(chunk.bytes);
    const char* const end = piece.readable();
    ForEachEvent(piece, [&](std::string_view event) {
      EventHead head;
      EventTime time;
      if (!ReadHead(event, end, head) || !PlaceInTime(head, line.timestamp_ns, time)) return;
      if (!stats.Read(head.stats, end, context.roles)) return;
      const auto launch = static_cast<uint64_t>(stats.Integer(StatRole::kConsumer, 0));
      if (launch == 0) return;
      context.modules.push_back({time.start, time.start + time.duration, launch});
    });
  }
}

void SortModuleRuns(PlaneContext& context) {
  std::ranges::sort(context.modules, {}, &ModuleRun::start);
}

uint64_t LaunchAt(const PlaneContext& context, int64_t time) {
  const auto after = std::ranges::upper_bound(context.modules, time, {}, &ModuleRun::start);
  if (after == context.modules.begin()) return kNoCorrelation;
  const ModuleRun& run = *std::prev(after);
  return time < run.end ? run.correlation : kNoCorrelation;
}

}  // namespace stepscope::xplane
