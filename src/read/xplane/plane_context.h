#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "read/xplane/host_names.h"
#include "read/xplane/planes.h"
#include "read/xplane/space.h"
#include "read/xplane/stat_roles.h"

namespace stepscope::xplane {

// When the modules of a TPU ran, so that an op finds the launch of the module it belongs to.
struct ModuleRun {
  int64_t start = 0;  // ns, as the line has it
  int64_t end = 0;
  uint64_t correlation = 0;
};

// What a name means on this plane, with all that can be worked out once per name instead of once
// per event.
struct NameMeaning {
  std::string_view name;  // as shown: the display name of HLO ops
  Kind kind = Kind::kOther;
  uint8_t stats = kMarkStats;  // of an event without a name: whatever it may be
  bool maybe_annotation = false;
  bool frees = false;            // MemoryDeallocation
  std::string_view op;           // framework op that the name's own stats give (TPU)
  std::string_view instruction;  // whose kernel this is
  int64_t bytes = -1;            // that an HLO copy moves
};

// Everything that reading a line of the plane needs to know. Immutable while lines are read.
struct PlaneContext {
  const Plane* plane = nullptr;
  PlaneName parsed;
  int32_t device = 0;              // index of the device in the trace
  int32_t sm_count = 0;            // 0: unknown
  uint32_t order = 0;              // of the plane in the file
  std::vector<NameMeaning> names;  // by row of Plane::events
  std::vector<StatRole> roles;
  std::vector<ModuleRun> modules;       // by start
  std::vector<uint64_t> memory_events;  // ids of names that are no spans
};

// Names of the profile's XLA instructions, from every place that mentions them.
struct HloNames {
  // That device events give as their op; a host event of that name is the op's launch.
  std::unordered_set<std::string_view> on_devices;
  // Kernel name → instruction. Kernels of a CUDA graph all name the graph as their op.
  std::unordered_map<std::string, std::string_view> by_kernel;
};

PlaneContext MakePlaneContext(const Plane& plane, const HloNames& hlo);

}  // namespace stepscope::xplane
