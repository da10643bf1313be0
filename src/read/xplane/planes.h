#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/kind.h"
#include "trace/trace.h"

namespace stepscope::xplane {

enum class PlaneType : uint8_t { kHost, kGpu, kTpu, kOtherDevice };

// What the name of a plane says: "/device:TPU:0 SparseCore 1" is part 1 of TPU 0.
struct PlaneName {
  PlaneType type = PlaneType::kHost;
  int32_t index = 0;
  bool sparse_core = false;
  bool is_device() const { return type != PlaneType::kHost; }
};
PlaneName ParsePlaneName(std::string_view name);

// What a line of a plane holds. Derived lines repeat recorded work at another level (ops, modules,
// scopes): they are kept and shown, and never counted as work.
enum class LineRole : uint8_t {
  kThread,
  kStream,       // recorded device work
  kXlaOps,       // of a TPU: the device's work, one event an HLO op
  kDerived,      // op-level spans
  kDeviceSteps,  // steps as the device saw them
  kOverhead,
  kCounters,
};
LineRole RoleOfLine(PlaneType plane, std::string_view line_name);
TrackKind TrackKindOf(LineRole role);

// Kind of an event on a recorded stream, from its name and, for HLO ops, its category.
Kind KindOfStreamEvent(std::string_view name);
Kind KindOfXlaOp(std::string_view hlo_category);

// "regs:168 static_shared:0 dynamic_shared:213188 grid:2,66,1 block:384,1,1 occ_pct:18.75", or of
// 2020: "regs:16 shm:0 grid:… block:…".
void ReadKernelDetails(std::string_view text, DeviceArgs& args);
// "kind_src:pinned kind_dst:device size:16777216 dest:0 async:1", or "size:112 dest:4 async:0".
std::optional<int64_t> BytesOfTransfer(std::string_view text);

}  // namespace stepscope::xplane
