#include "read/xplane/planes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "trace/names.h"

namespace stepscope::xplane {
namespace {

int64_t NumberAt(std::string_view text, int64_t otherwise) {
  int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The text behind "key:" up to the next blank.
std::optional<std::string_view> ValueOf(std::string_view details, std::string_view key) {
  for (size_t at = details.find(key); at != std::string_view::npos;
       at = details.find(key, at + 1)) {
    const bool starts = at == 0 || details[at - 1] == ' ' || details[at - 1] == '\n';
    const size_t colon = at + key.size();
    if (!starts || colon >= details.size() || details[colon] != ':') continue;
    const std::string_view rest = details.substr(colon + 1);
    return rest.substr(0, rest.find_first_of(" \n"));
  }
  return std::nullopt;
}

template <typename T>
void ReadTriple(std::string_view text, T (&out)[3]) {
  for (T& value : out) {
    value = static_cast<T>(NumberAt(text, 0));
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

PlaneName ParsePlaneName(std::string_view name) {
  constexpr std::string_view kDevice = "/device:", kGpu = "/device:GPU:", kTpu = "/device:TPU:",
                             kSparse = " SparseCore ";
  PlaneName parsed;
  if (name.starts_with(kGpu)) {
    parsed.type = PlaneType::kGpu;
    parsed.index = static_cast<int32_t>(NumberAt(name.substr(kGpu.size()), 0));
  } else if (name.starts_with(kTpu)) {
    parsed.type = PlaneType::kTpu;
    parsed.index = static_cast<int32_t>(NumberAt(name.substr(kTpu.size()), 0));
    parsed.sparse_core = name.find(kSparse) != std::string_view::npos;
  } else if (name.starts_with(kDevice)) {
    parsed.type = PlaneType::kOtherDevice;
    const size_t colon = name.rfind(':');
    parsed.index = static_cast<int32_t>(NumberAt(name.substr(colon + 1), 0));
  }
  return parsed;
}

TrackKind TrackKindOf(LineRole role) {
  switch (role) {
    case LineRole::kThread:
      return TrackKind::kThread;
    case LineRole::kStream:
    case LineRole::kXlaOps:
      return TrackKind::kStream;
    case LineRole::kDerived:
    case LineRole::kDeviceSteps:
    case LineRole::kOverhead:
    case LineRole::kCounters:
      return TrackKind::kOther;
  }
  return TrackKind::kOther;
}

LineRole RoleOfLine(PlaneType plane, std::string_view line_name) {
  if (plane == PlaneType::kHost) return LineRole::kThread;
  // Derived lines of one stream are called "XLA Ops - from #7".
  const std::string_view name = line_name.substr(0, line_name.find(" - from #"));
  if (name == "Steps" || name == "Sparse Core Steps") return LineRole::kDeviceSteps;
  if (name == "_counters_") return LineRole::kCounters;
  if (name.find("verhead") != std::string_view::npos) return LineRole::kOverhead;
  if (name == "XLA Ops" || name == "Sparse Core Ops") {
    return plane == PlaneType::kTpu ? LineRole::kXlaOps : LineRole::kDerived;
  }
  constexpr auto kDerivedLines = std::to_array<std::string_view>(
      {"TensorFlow Name Scope", "TensorFlow Ops", "Framework Name Scope", "Framework Ops",
       "XLA Modules", "Async XLA Ops", "XLA TraceMe", "Launch Stats", "Source code", "Source Code",
       "Host Offload Ops", "Sparse Core Modules", "Sparse Core Syncs", "Tensor Core Sync Flag",
       "Overlay", "Unprocessed Threads"});
  if (std::ranges::find(kDerivedLines, name) != kDerivedLines.end()) return LineRole::kDerived;
  return plane == PlaneType::kTpu ? LineRole::kDerived : LineRole::kStream;
}

Kind KindOfStreamEvent(std::string_view name) {
  if (name.starts_with("Memcpy") || name.starts_with("MEMCPY")) return Kind::kCopy;
  if (name.starts_with("Memset") || name.starts_with("MEMSET")) return Kind::kMemset;
  return TraitsOf(name).communication ? Kind::kCollective : Kind::kKernel;
}

Kind KindOfXlaOp(std::string_view category) {
  // Containers: their children are on the same line.
  constexpr auto kContainers =
      std::to_array<std::string_view>({"while", "conditional", "call", "async-start"});
  if (std::ranges::find(kContainers, category) != kContainers.end()) return Kind::kDeviceOp;
  constexpr auto kCollectives =
      std::to_array<std::string_view>({"all-reduce", "all-gather", "all-to-all", "reduce-scatter",
                                       "collective", "ragged-all-to-all", "megascale"});
  for (const std::string_view collective : kCollectives) {
    if (category.starts_with(collective)) return Kind::kCollective;
  }
  constexpr auto kCopies = std::to_array<std::string_view>(
      {"copy-start", "copy-done", "infeed", "outfeed", "host send", "host recv", "host-send",
       "host-recv", "send", "recv", "send-done", "recv-done"});
  if (std::ranges::find(kCopies, category) != kCopies.end()) return Kind::kCopy;
  return Kind::kKernel;
}

void ReadKernelDetails(std::string_view text, DeviceArgs& args) {
  if (const auto value = ValueOf(text, "regs")) {
    args.registers = static_cast<uint16_t>(NumberAt(*value, 0));
  }
  if (const auto value = ValueOf(text, "grid")) ReadTriple(*value, args.grid);
  if (const auto value = ValueOf(text, "block")) ReadTriple(*value, args.block);
  int64_t shared = 0;
  for (const std::string_view key : {"shm", "static_shared", "dynamic_shared"}) {
    if (const auto value = ValueOf(text, key)) shared += NumberAt(*value, 0);
  }
  args.shared_memory = static_cast<uint32_t>(std::clamp<int64_t>(shared, 0, UINT32_MAX));
  if (const auto value = ValueOf(text, "occ_pct")) {
    float percent = -1;
    std::from_chars(value->data(), value->data() + value->size(), percent);
    args.occupancy_percent = percent;
  }
}

std::optional<int64_t> BytesOfTransfer(std::string_view text) {
  for (const std::string_view key : {"size", "num_bytes"}) {
    if (const auto value = ValueOf(text, key)) {
      const int64_t bytes = NumberAt(*value, -1);
      if (bytes >= 0) return bytes;
    }
  }
  return std::nullopt;
}

}  // namespace stepscope::xplane
