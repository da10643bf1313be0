#include "read/xplane/run_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace stepscope::xplane {
namespace {

bool AnyNameStartsWith(const Space& space, std::string_view prefix) {
  return std::ranges::any_of(space.planes, [&](const Plane& plane) {
    return std::ranges::any_of(plane.events, [&](const EventMetadata& metadata) {
      return metadata.name.starts_with(prefix);
    });
  });
}

bool AnyStatCalled(const Space& space, std::string_view name) {
  return std::ranges::any_of(space.planes, [&](const Plane& plane) {
    return std::ranges::any_of(plane.stat_names,
                               [&](const auto& stat) { return stat.second == name; });
  });
}

std::string NumberOrText(const Plane& plane, const StatValue& value) {
  const std::string_view text = plane.Text(value);
  return text.empty() ? fmt::format_int(value.Integer(0)).str() : std::string(text);
}

// Which program wrote the profile shows in the names of its events: the file does not say.
std::string FrameworkOf(const Space& space) {
  if (AnyStatCalled(space, "jax_version") || AnyNameStartsWith(space, "PjitFunction(") ||
      AnyNameStartsWith(space, "XlaPjitFunction(")) {
    return "JAX";
  }
  for (const std::string_view name :
       {"ExecutorState::Process", "TFE_", "Iterator::", "FunctionRun", "SessionRun"}) {
    if (AnyNameStartsWith(space, name)) return "TensorFlow";
  }
  return {};
}

}  // namespace

RunFacts FactsOf(const Space& space) {
  RunFacts facts;
  facts.format = Format::kXPlane;
  facts.framework = FrameworkOf(space);
  if (!space.hostnames.empty()) facts.host = space.hostnames.front();
  // Versions only: other stats of these planes may repeat the environment of the process.
  constexpr auto kNotes = std::to_array<std::string_view>({"cuda_version", "cuda_driver_version",
                                                           "cuda_runtime_version", "gpu_version",
                                                           "jaxlib_version", "libtpu_version"});
  for (const Plane& plane : space.planes) {
    plane.ForEachStat(plane.stats, [&](std::string_view name, const StatValue& value) {
      if (name == "jax_version") facts.framework_version = NumberOrText(plane, value);
      if (std::ranges::find(kNotes, name) != kNotes.end()) {
        facts.notes[std::string(name)] = NumberOrText(plane, value);
      }
    });
  }
  facts.has_memory = AnyNameStartsWith(space, "MemoryAllocation");
  facts.has_shapes = AnyStatCalled(space, "shape") && AnyStatCalled(space, "is_eager");
  facts.has_stacks = AnyNameStartsWith(space, "$");
  return facts;
}

ProfileClock ClockOf(const Space& space) {
  ProfileClock clock;
  for (const Plane& plane : space.planes) {
    plane.ForEachStat(plane.stats, [&](std::string_view name, const StatValue& value) {
      if (name != "profile_start_time") return;
      clock.base_ns = value.Integer(0);
      clock.known = clock.base_ns > 0;
    });
  }
  return clock;
}

Device DescribeDevice(const PlaneContext& context) {
  Device device;
  switch (context.parsed.type) {
    case PlaneType::kGpu:
      device.type = DeviceType::kGpu;
      break;
    case PlaneType::kTpu:
      device.type = DeviceType::kTpu;
      break;
    case PlaneType::kHost:
    case PlaneType::kOtherDevice:
      device.type = DeviceType::kOther;
      break;
  }
  device.index = context.device;
  const Plane& plane = *context.plane;
  int64_t major = -1, minor = 0;
  plane.ForEachStat(plane.stats, [&](std::string_view name, const StatValue& value) {
    if (name == "gpu_device_name" || name == "device_type_string") device.name = plane.Text(value);
    if (name == "memory_size") device.memory_bytes = value.Integer(0);
    if (name == "compute_cap_major") major = value.Integer(-1);
    if (name == "compute_cap_minor") minor = value.Integer(0);
    if (name == "core_count") device.sm_count = static_cast<int32_t>(value.Integer(0));
  });
  if (major >= 0) device.compute_capability = fmt::format("{}.{}", major, minor);
  if (context.parsed.sparse_core || context.parsed.type == PlaneType::kOtherDevice) {
    device.name = plane.name.substr(std::string_view("/device:").size());
  }
  return device;
}

void ReportWhatTheProfileSays(const Space& space, Diagnostics& diagnostics) {
  for (const std::string_view text : space.errors) {
    diagnostics.Add(Diagnostic::kProfileReportsError, 1, std::nullopt, text);
  }
  for (const std::string_view text : space.warnings) {
    diagnostics.Add(Diagnostic::kProfileReportsError, 1, std::nullopt, text);
  }
  for (const Plane& plane : space.planes) {
    plane.ForEachStat(plane.stats, [&](std::string_view name, const StatValue& value) {
      const int64_t dropped = name == "dropped_traces" ? value.Integer(0) : 0;
      if (dropped > 0) {
        diagnostics.Add(Diagnostic::kProfileReportsLoss, static_cast<uint64_t>(dropped));
      }
    });
  }
}

}  // namespace stepscope::xplane
