#include "read/perfetto/sequence.h"

#include <array>
#include <utility>

#include "read/chrome_json/categories.h"
#include "read/perfetto/perfetto_fields.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {
namespace {

struct Entry {
  uint64_t iid = 0;
  std::string_view text;
  std::string_view better;  // a kernel's demangled name
  uint64_t number = 0;      // a context's api
};

Entry ReadEntry(std::string_view message) {
  Entry entry;
  for (WireReader field(message); field.Next();) {
    switch (field.field()) {
      case kIid:
        entry.iid = field.Unsigned();
        break;
      case kText:
        entry.text = field.Bytes();
        break;
      case kKernelDemangled:
        entry.better = field.Bytes();
        entry.number = field.Unsigned();
        break;
      default:
        break;
    }
  }
  return entry;
}

template <typename Value, size_t n>
Value Find(const std::array<std::pair<std::string_view, Value>, n>& table, std::string_view name,
           Value otherwise) {
  for (const auto& [known, value] : table) {
    if (known == name) return value;
  }
  return otherwise;
}

}  // namespace

ArgRole ArgRoleOf(std::string_view name) {
  using enum ArgRole;
  constexpr auto kNames = std::to_array<std::pair<std::string_view, ArgRole>>({
      {"External id", kExternalId},
      {"Sequence number", kSequence},
      {"Input Dims", kInputDims},
      {"Input type", kInputTypes},
      {"correlation", kCorrelation},
      {"corr_id", kCorrelation},
      {"device", kDevice},
      {"stream", kStream},
      {"queue", kStream},
      {"bytes", kBytes},
      {"copy_bytes", kBytes},
      {"grid", kGrid},
      {"block", kBlock},
      {"registers per thread", kRegisters},
      {"shared memory", kSharedMemory},
      {"est. achieved occupancy %", kOccupancy},
      {"blocks per SM", kBlocksPerSm},
      {"op", kOp},
      {"Python id", kFrameId},
      {"Python parent id", kFrameParent},
  });
  return Find(kNames, name, kNone);
}

Kind KindOfCategory(std::string_view category) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, Kind>>({
      // rocprofv3.
      {"hip_api", Kind::kCall},
      {"hsa_api", Kind::kCall},
      {"rccl_api", Kind::kAnnotation},
      {"marker_api", Kind::kAnnotation},
      {"kernel_dispatch", Kind::kKernel},
      {"memory_copy", Kind::kCopy},
      // Stepscope's own.
      {"device_op", Kind::kDeviceOp},
      {"compile", Kind::kCompile},
      {"allocation", Kind::kAllocation},
  });
  const Kind known = Find(kNames, category, Kind::kOther);
  return known != Kind::kOther ? known : chrome_json::CategoryOf(category).kind;
}

void Sequence::Clear() {
  names.Clear();
  strings.Clear();
  stages.Clear();
  kernels.Clear();
  categories.Clear();
  annotations.Clear();
  contexts.Clear();
  gpu_counters.clear();
  default_clock = 0;
  has_default_track = false;
  extra_tracks.clear();
  extra_double_tracks.clear();
  lost = false;
}

namespace {

Sequence::GpuCounters GpuCountersOf(std::string_view message, BlockWriter& out) {
  Sequence::GpuCounters counters;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kGpuCountersGpu) counters.gpu = field.Unsigned() & 0xffff;
    if (field.field() == kGpuCountersDescriptor) {
      ForEachGpuCounter(field.Bytes(), [&](uint64_t id, std::string_view name) {
        counters.names[id] = out.Intern(name);
      });
    }
  }
  return counters;
}

}  // namespace

void Sequence::ReadInterned(std::string_view message, BlockWriter& out) {
  for (WireReader field(message); field.Next();) {
    const Entry entry = ReadEntry(field.Bytes());
    switch (field.field()) {
      case kInternedCategory:
        categories.Set(entry.iid, {KindOfCategory(entry.text)});
        break;
      case kInternedName:
        names.Set(entry.iid, out.Intern(entry.text));
        break;
      case kInternedAnnotationName:
        annotations.Set(entry.iid, ArgRoleOf(entry.text));
        break;
      case kInternedString:
        strings.Set(entry.iid, out.Intern(entry.text));
        break;
      case kInternedGpuSpecification:
        stages.Set(entry.iid, out.Intern(entry.text));
        break;
      case kInternedGpuCounters:
        gpu_counters[entry.iid] = GpuCountersOf(field.Bytes(), out);
        break;
      case kInternedContext:
        contexts.Set(entry.iid, static_cast<uint32_t>(entry.number) + 1);
        break;
      case kInternedKernel:
        kernels.Set(entry.iid, out.Intern(entry.better.empty() ? entry.text : entry.better));
        break;
      default:
        break;
    }
  }
}

void Sequence::ReadDefaults(std::string_view message) {
  has_default_track = false;
  extra_tracks.clear();
  extra_double_tracks.clear();
  default_clock = 0;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kPacketClock) default_clock = static_cast<uint32_t>(field.Unsigned());
    if (field.field() != kDefaultsEvent) continue;
    for (WireReader event(field.Bytes()); event.Next();) {
      if (event.field() == kEventTrack) {
        default_track = event.Unsigned();
        has_default_track = true;
      }
      if (event.field() == kEventExtraTracks) extra_tracks.push_back(event.Unsigned());
      if (event.field() == kEventExtraDoubleTracks) {
        extra_double_tracks.push_back(event.Unsigned());
      }
    }
  }
}

}  // namespace stepscope::perfetto
