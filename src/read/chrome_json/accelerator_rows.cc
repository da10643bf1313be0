#include "read/chrome_json/accelerator_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>

#include "read/xplane/planes.h"

namespace stepscope::chrome_json {
namespace {

enum class Row : uint8_t {
  kOther,
  kWork,         // a queue or a stream of a device
  kCollectives,  // what a group of devices sends, one span for each collective
  kDerived,      // shows again what other rows show
  kCalls,        // the runtime on the host
};

// Ascend names the process; unitrace gives its device rows a category, which made them streams.
bool IsDevice(std::string_view process, const EventBlock::TrackKey& track) {
  return process.starts_with("Ascend Hardware") || track.kind == TrackKind::kStream;
}

Row RowOf(std::string_view process, std::string_view thread, const EventBlock::TrackKey& track) {
  if (IsDevice(process, track)) return Row::kWork;
  if (process == "CANN") return Row::kCalls;
  if (process == "Overlap Analysis") return Row::kDerived;
  if (process == "Communication" || process == "HCCL") {
    return thread.starts_with("Plane") ? Row::kDerived : Row::kCollectives;
  }
  return Row::kOther;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Kind KindOfAcceleratorRow(std::string_view name) {
  // Waiting is not work: the stream stands still until another one is ready.
  for (const std::string_view wait :
       {"EVENT_WAIT", "EVENT_RECORD", "Notify_Wait", "Notify_Record", "NOTIFY_WAIT", "Barrier"}) {
    if (Contains(name, wait)) return Kind::kSync;
  }
  for (const std::string_view copy : {"MEMCPY", "MemoryCopy", "Memcpy", "SDMA"}) {
    if (Contains(name, copy)) return Kind::kCopy;
  }
  for (const std::string_view fill : {"MEMSET", "MemoryFill", "Memset"}) {
    if (Contains(name, fill)) return Kind::kMemset;
  }
  return xplane::KindOfStreamEvent(name);
}

// Level Zero, OpenCL and SYCL calls, which unitrace puts into the category of ops.
bool IsCall(std::string_view name) {
  constexpr auto kPrefixes = std::to_array<std::string_view>({"ze", "zes", "cl", "ur", "pi"});
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
           name[prefix.size()] <= 'Z';
  });
}

// "Stream 14"
int32_t NumberIn(std::string_view text) {
  const size_t at = text.find_first_of("0123456789");
  int32_t number = -1;
  if (at != text.npos) std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

using Numbers = std::map<std::string, int32_t, std::less<>>;  // of devices, by process

class AcceleratorClassifier {
 public:
  AcceleratorClassifier(EventBlock& block, const RowNames& names, const Numbers& numbers)
      : block_(block) {
    for (EventBlock::TrackKey& track : block.tracks) {
      const std::string_view thread = names.Thread(block, track);
      Meaning meaning{RowOf(names.Process(block, track.process), thread, track), 0,
                      NumberIn(thread)};
      const auto number = numbers.find(SpellingOf(block, track.process));
      if (number != numbers.end()) meaning.device = number->second;
      if (track.kind == TrackKind::kThread) {
        if (meaning.row == Row::kWork) track.kind = TrackKind::kStream;
        if (meaning.row == Row::kCollectives) track.kind = TrackKind::kStream;
        if (meaning.row == Row::kDerived) track.kind = TrackKind::kOther;
      }
      rows_.push_back(meaning);
    }
  }

  void Run() {
    for (uint32_t row = 0; row < block_.kind.size(); ++row) {
      const Meaning& meaning = rows_[block_.track[row]];
      const std::string_view name = block_.strings[block_.name[row]];
      switch (meaning.row) {
        case Row::kWork:
          SetWork(row, KindOfAcceleratorRow(name), meaning);
          break;
        case Row::kCollectives:
          SetWork(row, Kind::kCollective, meaning);
          break;
        case Row::kDerived:
          block_.kind[row] = Kind::kOther;
          block_.args[row] = kNoRow;
          break;
        case Row::kCalls:
          SetCall(row);
          break;
        case Row::kOther:
          if (IsCall(name)) SetCall(row);
          break;
      }
    }
  }

 private:
  struct Meaning {
    Row row = Row::kOther;
    int32_t device = 0;
    int32_t stream = -1;
  };

  void SetWork(uint32_t row, Kind kind, const Meaning& meaning) {
    DeviceArgs args;
    args.device = meaning.device;
    args.stream = meaning.stream;
    block_.kind[row] = kind;
    block_.args[row] = static_cast<uint32_t>(block_.device_args.size());
    block_.device_args.push_back(args);
  }

  void SetCall(uint32_t row) {
    block_.kind[row] = Kind::kCall;
    block_.args[row] = static_cast<uint32_t>(block_.call_args.size());
    block_.call_args.emplace_back();
  }

  EventBlock& block_;
  std::vector<Meaning> rows_;  // by track
};

// Devices have no numbers in these files: they are counted as their processes are spelt.
Numbers NumbersOf(std::span<const ParsedChunk> chunks, const RowNames& names) {
  Numbers numbers;
  for (const ParsedChunk& chunk : chunks) {
    for (const EventBlock::TrackKey& track : chunk.block.tracks) {
      if (IsDevice(names.Process(chunk.block, track.process), track)) {
        numbers.try_emplace(SpellingOf(chunk.block, track.process), 0);
      }
    }
  }
  int32_t next = 0;
  for (auto& [process, number] : numbers) number = next++;
  return numbers;
}

}  // namespace

bool HasAcceleratorRows(std::span<const ParsedChunk> chunks, const RowNames& names) {
  return names.AnyProcess("Ascend Hardware") ||
         std::ranges::any_of(chunks, [](const ParsedChunk& chunk) {
           return chunk.complete_by_category.contains("gpu_op");
         });
}

void ClassifyAcceleratorRows(std::span<ParsedChunk> chunks, const RowNames& names,
                             std::vector<Device>& devices, TaskPool& pool) {
  const Numbers numbers = NumbersOf(chunks, names);
  if (numbers.empty()) return;
  pool.ForEach(chunks.size(),
               [&](size_t c) { AcceleratorClassifier(chunks[c].block, names, numbers).Run(); });
  for (const auto& [process, number] : numbers) {
    Device device;
    device.index = number;
    devices.push_back(std::move(device));
  }
}

}  // namespace stepscope::chrome_json
