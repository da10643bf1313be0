// Packets that the operating system and drivers write: counters of GPUs, scheduling of CPUs.
#include <fmt/format.h>

#include <vector>

#include "read/perfetto/packet_reader.h"
#include "read/protobuf/packed.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {
void PacketReader::ReadGpuCounters(const Packet& packet, const Sequence& sequence) {
  const std::optional<int64_t> time = TimeOf(packet, sequence);
  uint64_t gpu = 0;
  for (WireReader field(packet.payload); field.Next();) {
    if (field.field() == kGpuCounterGpu) gpu = field.Unsigned() & 0xffff;
  }
  for (WireReader field(packet.payload); field.Next();) {
    if (field.field() == kGpuCounterDescriptor) {
      for (WireReader spec(field.Bytes()); spec.Next();) {
        if (spec.field() != 1) continue;
        uint64_t id = 0;
        std::string_view name;
        for (WireReader inner(spec.Bytes()); inner.Next();) {
          if (inner.field() == 1) id = inner.Unsigned();
          if (inner.field() == 2) name = inner.Bytes();
        }
        gpu_counter_names_[gpu << 32 | (id & 0xffffffff)] = name;
      }
    }
    if (field.field() != kGpuCounterValues) continue;
    out_.BeginEvent();
    if (!time) {
      out_.Diagnose(Diagnostic::kEventWithoutTime);
      continue;
    }
    uint64_t id = 0;
    double value = 0;
    for (WireReader inner(field.Bytes()); inner.Next();) {
      if (inner.field() == 1) id = inner.Unsigned();
      if (inner.field() == 2) value = static_cast<double>(inner.Signed());
      if (inner.field() == 3) value = inner.Double();
    }
    const auto known = gpu_counter_names_.find(gpu << 32 | (id & 0xffffffff));
    const StringId name = out_.Intern(
        known == gpu_counter_names_.end() ? fmt::format("counter {}", id) : known->second);
    const std::string device = fmt::format("GPU {}", gpu);
    out_.Counter(*time, value, name, out_.Intern(device),
                 tracks_.UseOwn(device, "counters", TrackKind::kOther));
  }
}

void PacketReader::SwitchTo(uint32_t cpu, int64_t time, int64_t pid, std::string_view name) {
  out_.BeginEvent();
  Running& running = running_[cpu];
  int64_t duration = 0;
  if (running.pid != 0 && !__builtin_sub_overflow(time, running.since, &duration)) {
    out_.Span(running.since, duration, running.name,
              tracks_.UseOwn("CPUs", fmt::format("CPU {}", cpu), TrackKind::kOther), Kind::kOther);
  }
  running = {time, pid, pid == 0 ? kEmptyString : out_.Intern(fmt::format("{} [{}]", name, pid))};
}

void PacketReader::ReadFtrace(std::string_view message) {
  uint32_t cpu = 0;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kFtraceCpu) cpu = static_cast<uint32_t>(field.Unsigned());
  }
  for (WireReader field(message); field.Next();) {
    if (field.field() == kFtraceEvent) {
      uint64_t time = 0;
      for (WireReader event(field.Bytes()); event.Next();) {
        if (event.field() == kFtraceTimestamp) time = event.Unsigned();
        if (event.field() != kFtraceSwitch) continue;
        int64_t pid = 0;
        std::string_view name;
        for (WireReader inner(event.Bytes()); inner.Next();) {
          if (inner.field() == kSwitchNextPid) pid = inner.Signed();
          if (inner.field() == kSwitchNextComm) name = inner.Bytes();
        }
        SwitchTo(cpu, static_cast<int64_t>(time), pid, name);
      }
    } else if (field.field() == kFtraceCompactSched) {
      std::vector<std::string_view> comms;
      std::vector<uint64_t> times, pids, names;
      for (WireReader inner(field.Bytes()); inner.Next();) {
        if (inner.field() == kCompactComms) comms.push_back(inner.Bytes());
        if (inner.field() == kCompactTimestamp) AppendVarints(inner, times);
        if (inner.field() == kCompactNextPid) AppendVarints(inner, pids);
        if (inner.field() == kCompactNextComm) AppendVarints(inner, names);
      }
      uint64_t time = 0;
      for (size_t i = 0; i < times.size(); ++i) {
        time += times[i];
        const uint64_t comm = i < names.size() ? names[i] : comms.size();
        SwitchTo(cpu, static_cast<int64_t>(time),
                 i < pids.size() ? static_cast<int64_t>(pids[i]) : 0,
                 comm < comms.size() ? comms[comm] : std::string_view());
      }
    }
  }
}

}  // namespace stepscope::perfetto
