// Packets that the operating system and drivers write: counters of GPUs, scheduling of CPUs.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "read/perfetto/packet_reader.h"
#include "read/protobuf/packed.h"
#include "read/protobuf/wire.h"

namespace stepscope::perfetto {

StringId PacketReader::GpuCounterName(const Sequence::GpuCounters* own, uint64_t gpu, uint64_t id) {
  if (own != nullptr) {
    const auto at = own->names.find(id);
    if (at != own->names.end()) return at->second;
  }
  const auto known = gpu_counter_names_.find(gpu << 32 | (id & 0xffffffff));
  return out_.Intern(known == gpu_counter_names_.end() ? fmt::format("counter {}", id)
                                                       : known->second);
}

void PacketReader::ReadGpuCounters(const Packet& packet, const Sequence& sequence) {
  const std::optional<int64_t> time = TimeOf(packet, sequence);
  uint64_t gpu = 0;
  const Sequence::GpuCounters* own = nullptr;  // of the sequence
  for (WireReader field(packet.payload); field.Next();) {
    if (field.field() == kGpuCounterDescriptorIid) {
      const auto at = sequence.gpu_counters.find(field.Unsigned());
      if (at == sequence.gpu_counters.end()) continue;
      own = &at->second;
      gpu = own->gpu;
    }
  }
  for (WireReader field(packet.payload); field.Next();) {
    if (field.field() == kGpuCounterGpu) gpu = field.Unsigned() & 0xffff;
  }
  for (WireReader field(packet.payload); field.Next();) {
    if (field.field() == kGpuCounterDescriptor) {
      ForEachGpuCounter(field.Bytes(), [&](uint64_t id, std::string_view name) {
        gpu_counter_names_[gpu << 32 | (id & 0xffffffff)] = name;
      });
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
    const StringId name = GpuCounterName(own, gpu, id);
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

// What programs write to the kernel's trace: "B|pid|name", "E|pid", "C|pid|name|value".
void PacketReader::ReadPrint(int64_t tid, int64_t time, std::string_view text) {
  out_.BeginEvent();
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.remove_suffix(1);
  std::array<std::string_view, 4> parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    // A name may hold bars, a counter's may not.
    const bool rest = i == 2 && text.find('|') != text.npos && parts[0] == "B";
    const size_t bar = rest ? text.npos : text.find('|');
    parts[i] = text.substr(0, bar);
    text.remove_prefix(bar == text.npos ? text.size() : bar + 1);
  }
  int64_t pid = tid;
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), pid);
  if (parts[0] == "B") {
    out_.Half(time, out_.Intern(parts[2]), tracks_.UseThread(pid, tid), Kind::kOther, true);
  } else if (parts[0] == "E") {
    out_.Half(time, kEmptyString, tracks_.UseThread(pid, tid), Kind::kOther, false);
  } else if (parts[0] == "C") {
    int64_t value = 0;
    std::from_chars(parts[3].data(), parts[3].data() + parts[3].size(), value);
    const StringId name = out_.Intern(parts[2]);
    out_.Counter(time, static_cast<double>(value), name, name, tracks_.UseThread(pid, pid));
  } else {
    out_.Instant(time, out_.Intern(parts[0]), tracks_.UseThread(pid, tid));
  }
}

void PacketReader::ReadFtraceEvent(uint32_t cpu, std::string_view message) {
  int64_t time = 0, thread = 0;
  uint32_t kind = 0;
  std::string_view payload;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kFtraceTimestamp) {
      time = field.Signed();
    } else if (field.field() == kFtracePid) {
      thread = field.Signed();
    } else if (field.field() != kFtraceCommonFlags) {
      kind = field.field();
      payload = field.Bytes();
    }
  }
  if (kind == kFtraceSwitch) {
    int64_t pid = 0;
    std::string_view name;
    for (WireReader inner(payload); inner.Next();) {
      if (inner.field() == kSwitchNextPid) pid = inner.Signed();
      if (inner.field() == kSwitchNextComm) name = inner.Bytes();
    }
    SwitchTo(cpu, time, pid, name);
  } else if (kind == kFtracePrint) {
    std::string_view text;
    for (WireReader inner(payload); inner.Next();) {
      if (inner.field() == kPrintText) text = inner.Bytes();
    }
    ReadPrint(thread, time, text);
  } else if (kind == kFtraceCpuFrequency) {
    uint64_t khz = 0, of_cpu = cpu;
    for (WireReader inner(payload); inner.Next();) {
      if (inner.field() == kFrequencyKhz) khz = inner.Unsigned();
      if (inner.field() == kFrequencyCpu) of_cpu = inner.Unsigned();
    }
    out_.BeginEvent();
    out_.Counter(time, static_cast<double>(khz), out_.Intern("CPU frequency (kHz)"),
                 out_.Intern(fmt::format("CPU {}", of_cpu)),
                 tracks_.UseOwn("CPUs", "counters", TrackKind::kOther));
  } else {
    out_.BeginEvent();
    out_.Diagnose(Diagnostic::kUnknownFields, fmt::format("ftrace event {}", kind));
  }
}

void PacketReader::ReadFtrace(std::string_view message) {
  uint32_t cpu = 0;
  for (WireReader field(message); field.Next();) {
    if (field.field() == kFtraceCpu) cpu = static_cast<uint32_t>(field.Unsigned());
  }
  for (WireReader field(message); field.Next();) {
    if (field.field() == kFtraceEvent) {
      ReadFtraceEvent(cpu, field.Bytes());
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
