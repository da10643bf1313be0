#include "read/recording/device_spans.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "read/nsys/names.h"

namespace stepscope::recording {
namespace {

enum Sort : uint8_t { kThread, kStream, kWaits };

// CUPTI counts kinds of memory from 1, the names from 0.
std::string NameOf(const CopyRow& copy) {
  constexpr int64_t kDeviceMemory = 2;
  if (copy.way == CopyRow::kMemset) return nsys::MemsetName(kDeviceMemory);
  return nsys::CopyName(copy.way, int64_t{copy.from} - 1, int64_t{copy.to} - 1);
}

// 1 is the driver's compiler; the others are numbered in the upper half.
nsys::Overhead OverheadOf(uint32_t kind) {
  constexpr uint32_t kCompiler = 1, kFirst = 2;
  return nsys::OverheadOf(kind == kCompiler ? kFirst : (kind >> 16) + kFirst);
}

// As other profilers show kernels: "_Z5saxpyifPKfPf" is saxpy(int, float, float const*, float*).
std::string Demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  char* plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : name;
  std::free(plain);
  return text;
}

class SpanWriter {
 public:
  SpanWriter(const RecordingFile& file, BlockWriter& out)
      : file_(file), rows_(file.device_rows), out_(out), pid_(file.NumberOf("pid", 0)) {}

  void Write() {
    for (const KernelRow& row : rows_.kernels) Add(row);
    for (const CopyRow& row : rows_.copies) Add(row);
    for (const CallRow& row : rows_.calls) Add(row);
    for (const SyncRow& row : rows_.syncs) Add(row);
    for (const RangeRow& row : rows_.ranges) Add(row);
    for (const OverheadRow& row : rows_.overheads) Add(row);
  }

 private:
  uint32_t Stream(int64_t device, int64_t stream, Sort sort) {
    return out_.Track({device, stream, sort}, [&](EventBlock::TrackKey& key) {
      EventBlock& block = out_.block();
      const std::string gpu = fmt::format("GPU {}", device);
      key.process.text = block.strings.Intern(gpu);
      key.thread.number = stream;
      key.kind = sort == kStream ? TrackKind::kStream : TrackKind::kOther;
      const auto track = static_cast<uint32_t>(block.tracks.size());
      out_.Name(track, EventBlock::MetadataKey::kProcessName, gpu);
      const std::string text = fmt::format("stream {}", stream);
      if (sort == kStream) {
        out_.Name(track, EventBlock::MetadataKey::kThreadName, text);
      } else {
        key.scope = block.strings.Intern(text + " waits");
      }
    });
  }

  template <typename Row>
  DeviceArgs ArgsOf(const Row& row) const {
    DeviceArgs args;
    args.correlation = row.correlation;
    args.device = static_cast<int32_t>(row.device);
    args.stream = static_cast<int32_t>(row.stream);
    return args;
  }

  void Span(const TimedRow& row, StringId name, uint32_t track, Kind kind, uint32_t args = kNoRow) {
    out_.Span(row.start, row.end - row.start, name, track, kind, args);
  }

  void Add(const KernelRow& row) {
    out_.BeginEvent();
    DeviceArgs args = ArgsOf(row);
    std::copy_n(row.grid, 3, args.grid);
    std::copy_n(row.block, 3, args.block);
    args.registers = row.registers;
    args.shared_memory = row.shared_memory;
    args.graph_node = row.graph == 0 ? 0 : std::max<uint32_t>(1, row.graph_node & 0xffffffff);
    for (const DeviceRow& device : rows_.devices) {
      if (device.index != row.device || device.multiprocessors == 0) continue;
      const double blocks = double{1} * row.grid[0] * row.grid[1] * row.grid[2];
      args.blocks_per_sm = static_cast<float>(blocks / device.multiprocessors);
    }
    const auto [name, added] = kernel_names_.try_emplace(row.name);
    if (added) name->second = out_.Intern(Demangled(file_.strings[row.name]));
    Span(row, name->second, Stream(row.device, row.stream, kStream), Kind::kKernel,
         out_.Args(args));
  }

  void Add(const CopyRow& row) {
    out_.BeginEvent();
    DeviceArgs args = ArgsOf(row);
    args.bytes = row.bytes;
    Span(row, out_.Intern(NameOf(row)), Stream(row.device, row.stream, kStream),
         row.way == CopyRow::kMemset ? Kind::kMemset : Kind::kCopy, out_.Args(args));
  }

  void Add(const CallRow& row) {
    out_.BeginEvent();
    CallArgs args;
    args.correlation = row.correlation;
    Span(row, out_.Intern(file_.strings[row.name]), ThreadTrack(out_, pid_, row.thread),
         Kind::kCall, out_.Args(args));
  }

  void Add(const SyncRow& row) {
    out_.BeginEvent();
    DeviceArgs args;
    args.correlation = row.correlation;
    const int64_t device = rows_.devices.size() == 1 ? rows_.devices[0].index : 0;
    args.device = static_cast<int32_t>(device);
    args.stream = static_cast<int32_t>(row.stream);
    Span(row, out_.Intern(nsys::SyncName(row.type)), Stream(device, row.stream, kWaits),
         Kind::kSync, out_.Args(args));
  }

  void Add(const RangeRow& row) {
    out_.BeginEvent();
    Span(row, out_.Intern(file_.strings[row.name]), ThreadTrack(out_, pid_, row.thread),
         Kind::kAnnotation);
  }

  void Add(const OverheadRow& row) {
    out_.BeginEvent();
    const nsys::Overhead overhead = OverheadOf(row.kind);
    Span(row, out_.Intern(overhead.name), ThreadTrack(out_, pid_, row.thread), overhead.kind);
  }

  const RecordingFile& file_;
  const DeviceRows& rows_;
  BlockWriter& out_;
  int64_t pid_;
  std::unordered_map<uint32_t, StringId> kernel_names_;
};

}  // namespace

uint32_t ThreadTrack(BlockWriter& out, int64_t pid, int64_t thread) {
  return out.Track({pid, thread, kThread}, [&](EventBlock::TrackKey& key) {
    key.process.number = pid;
    key.thread.number = thread;
    const auto track = static_cast<uint32_t>(out.block().tracks.size());
    out.Name(track, EventBlock::MetadataKey::kThreadName,
             thread == pid ? "main thread" : fmt::format("thread {}", thread));
  });
}

void AddDeviceSpans(const RecordingFile& file, BlockWriter& out) { SpanWriter(file, out).Write(); }

std::vector<Device> DevicesOf(const RecordingFile& file) {
  std::vector<Device> devices;
  for (const DeviceRow& row : file.device_rows.devices) {
    const auto index = static_cast<int32_t>(row.index);
    const bool known =
        std::ranges::any_of(devices, [&](const Device& d) { return d.index == index; });
    if (known) continue;
    Device device;
    device.index = index;
    device.name = file.strings[row.name];
    device.memory_bytes = row.memory;
    device.compute_capability = fmt::format("{}.{}", row.capability_major, row.capability_minor);
    device.sm_count = static_cast<int32_t>(row.multiprocessors);
    devices.push_back(std::move(device));
  }
  std::ranges::sort(devices, {}, &Device::index);
  return devices;
}

}  // namespace stepscope::recording
