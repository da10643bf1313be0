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

}  // namespace stepscope::xplane
