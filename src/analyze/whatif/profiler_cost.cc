#include "analyze/whatif/profiler_cost.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace stepscope {
namespace {

// XProf's tracer: regions of the runtime and ops, calls into the driver (CUPTI), Python frames. On
// 26 programs that were timed with and without it.
constexpr DurationNs kXprofEvent{500};
constexpr DurationNs kXprofCall{3'000};
constexpr DurationNs kXprofFrame{350};
// What a launch of a graph takes without a profiler: by itself, and for each node.
constexpr int64_t kGraphLaunch = 10'000;
constexpr int64_t kGraphNode = 200;
// PyTorch's Python tracer, for each call and its return.
constexpr DurationNs kTorchFrame{500};
// Bounds of what recording one op of PyTorch costs.
constexpr int64_t kLeastOp = 500;
constexpr int64_t kMostOp = 3'000;
// Fewer samples than this tell nothing.
constexpr size_t kEnough = 8;
// A call into the driver is recorded by CUPTI, on both sides of the border.
constexpr int64_t kOpsInACall = 3;

int64_t MedianOf(std::vector<int64_t>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// From the start of an op to the start of the first op inside it.
std::vector<int64_t> Nestings(const Trace& trace) {
  const Slices& slices = trace.slices;
  std::vector<int64_t> delays;
  for (uint32_t s = 1; s < slices.size(); ++s) {
    if (slices.kind[s] != Kind::kOp || slices.kind[s - 1] != Kind::kOp) continue;
    if (slices.parent[s] != SliceId{s - 1}) continue;
    delays.push_back((slices.start[s] - slices.start[s - 1]).ns);
  }
  return delays;
}

std::vector<int64_t> LaunchTimes(const Trace& trace) {
  std::vector<int64_t> times;
  for (uint32_t s = 0; s < trace.slices.size(); ++s) {
    if (trace.slices.kind[s] != Kind::kCall) continue;
    const NameTraits& traits = trace.Traits(s);
    if (traits.launch_call && !traits.copy_call) times.push_back(trace.slices.duration[s].ns);
  }
  return times;
}

// A straight line through programs that the host binds, timed with and without the profiler on an
// H200's host whose clock drifts by a third: both times grow with what the profiler costs.
ProfilerCost CostOfKineto(const Trace& trace) {
  std::vector<int64_t> nestings = Nestings(trace);
  std::vector<int64_t> launches = LaunchTimes(trace);
  // Where next to nothing was recorded, next to nothing was spent on recording.
  if (nestings.size() < kEnough && launches.size() < kEnough) {
    return {DurationNs{kLeastOp}, DurationNs{kLeastOp * kOpsInACall}, kTorchFrame, {}};
  }
  int64_t op = kLeastOp;
  if (launches.size() < kEnough) {
    op = 300 + MedianOf(nestings) * 8 / 10;
  } else if (nestings.size() < kEnough) {
    op = MedianOf(launches) / 2 - 1'500;
  } else {
    op = (35 * MedianOf(launches) + 24 * MedianOf(nestings)) / 100 - 960;
  }
  op = std::clamp(op, kLeastOp, kMostOp);
  return {DurationNs{op}, DurationNs{op * kOpsInACall}, kTorchFrame, {}};
}

}  // namespace

DurationNs ProfilerCost::Of(Kind kind) const {
  switch (kind) {
    case Kind::kOp:
    case Kind::kAnnotation:
    case Kind::kInput:
      return op;
    case Kind::kCall:
      return call;
    case Kind::kPythonFrame:
    case Kind::kModuleFrame:
      return frame;
    case Kind::kOther:
      return other;
    default:
      return {};
  }
}

ProfilerCost ProfilerCostOf(const Trace& trace) {
  switch (trace.facts.format) {
    case Format::kKineto:
      return CostOfKineto(trace);
    case Format::kXPlane:
      if (trace.facts.framework != "JAX" && trace.facts.framework != "TensorFlow") return {};
      return {kXprofEvent, kXprofCall, kXprofFrame, kXprofEvent};
    default:
      return {};
  }
}

DurationNs CostOfGraphLaunch(DurationNs launch, size_t nodes) {
  const int64_t least = kGraphLaunch + kGraphNode * static_cast<int64_t>(nodes);
  return {std::max<int64_t>(launch.ns - least, 0)};
}

bool LaunchesGraph(std::string_view name) {
  return name.find("GraphLaunch") != std::string_view::npos;
}

bool AsksForTheTime(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kClocks{"perf_counter", "monotonic", "time.time",
                                                           "sleep"};
  return std::any_of(kClocks.begin(), kClocks.end(), [&](std::string_view clock) {
    return name.find(clock) != std::string_view::npos;
  });
}

}  // namespace stepscope
