#include "trace/testing/trace_text.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace_builder.h"

namespace stepscope {
namespace {

constexpr int64_t kHostProcess = 1000;
constexpr int32_t kDefaultStream = 7;

[[noreturn]] void Bad(std::string_view what, std::string_view where) {
  throw std::invalid_argument(fmt::format("{} in \"{}\"", what, where));
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t at = std::min(text.find(separator), text.size());
    if (at > 0) parts.push_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return parts;
}

std::optional<int64_t> NumberOf(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

int64_t Number(std::string_view text, std::string_view where) {
  const auto number = NumberOf(text);
  if (!number) Bad("no number", where);
  return *number;
}

std::optional<std::pair<int64_t, int64_t>> RangeOf(std::string_view word) {
  const size_t dots = word.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto from = NumberOf(word.substr(0, dots));
  const auto to = NumberOf(word.substr(dots + 2));
  if (!from || !to) return std::nullopt;
  return std::pair(*from, *to);
}

struct Row {
  EventBlock::TrackKey key;
  int32_t device = -1;
  int32_t stream = -1;
};

Row RowOf(std::string_view name, StringTable& strings) {
  Row row;
  row.key.process.number = kHostProcess;
  if (name == "main") {
    row.key.thread.number = 1;
  } else if (name.starts_with("thread:")) {
    row.key.thread.number = Number(name.substr(7), name);
  } else if (name.starts_with("gpu:")) {
    const auto parts = Split(name.substr(4), '/');
    row.device = static_cast<int32_t>(Number(parts[0], name));
    row.stream = parts.size() > 1 ? static_cast<int32_t>(Number(parts[1], name)) : kDefaultStream;
    row.key.process.number = row.device;
    row.key.thread.number = row.stream;
    row.key.kind = TrackKind::kStream;
  } else {
    row.key.thread.text = strings.Intern(name);
  }
  return row;
}

struct Named {
  Kind kind = Kind::kOther;
  std::string name;
  uint64_t correlation = kNoCorrelation;
};

std::optional<Kind> KindOfPrefix(std::string_view prefix) {
  static const std::map<std::string_view, Kind> kPrefixes = {
      {"op", Kind::kOp},
      {"step", Kind::kStep},
      {"anno", Kind::kAnnotation},
      {"py", Kind::kPythonFrame},
      {"module", Kind::kModuleFrame},
      {"input", Kind::kInput},
      {"call", Kind::kCall},
      {"sync", Kind::kSync},
      {"compile", Kind::kCompile},
      {"overhead", Kind::kOverhead},
      {"other", Kind::kOther},
      {"kernel", Kind::kKernel},
      {"copy", Kind::kCopy},
      {"memset", Kind::kMemset},
      {"deviceanno", Kind::kDeviceAnnotation},
      {"deviceop", Kind::kDeviceOp}};
  const auto at = kPrefixes.find(prefix);
  return at == kPrefixes.end() ? std::nullopt : std::optional(at->second);
}

Kind KindOfName(std::string_view name, bool on_device) {
  if (on_device) {
    if (name.starts_with("Memcpy")) return Kind::kCopy;
    if (name.starts_with("Memset")) return Kind::kMemset;
    return Kind::kKernel;
  }
  const NameTraits traits = TraitsOf(name);
  if (traits.launch_call || traits.copy_call || traits.sync_call || traits.alloc_call) {
    return Kind::kCall;
  }
  if (traits.step_marker) return Kind::kStep;
  if (traits.input_stage) return Kind::kAnnotation;
  return Kind::kOp;
}

std::string Unabbreviated(std::string_view name) {
  const std::string_view bare = name.substr(0, name.find('#'));
  const std::string rest(name.substr(bare.size()));
  if (bare == "launch") return "cudaLaunchKernel" + rest;
  if (bare == "sync") return "cudaStreamSynchronize" + rest;
  if (bare == "loader") return "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" + rest;
  return std::string(name);
}

Named NamedBy(std::string_view words, bool on_device) {
  Named named;
  std::optional<Kind> kind;
  const size_t colon = words.find(':');
  if (colon != std::string_view::npos && !words.substr(colon).starts_with("::")) {
    kind = KindOfPrefix(words.substr(0, colon));
    if (kind) words.remove_prefix(colon + 1);
  }
  named.name = kind ? std::string(words) : Unabbreviated(words);
  const size_t hash = named.name.rfind('#');
  const bool has_number =
      hash != std::string::npos && NumberOf(std::string_view(named.name).substr(hash + 1));
  named.kind = kind.value_or(KindOfName(named.name, on_device));
  const ArgsTable table = TableOf(named.kind);
  if (has_number && (table == ArgsTable::kCall || table == ArgsTable::kDevice)) {
    named.correlation =
        static_cast<uint64_t>(Number(std::string_view(named.name).substr(hash + 1), named.name));
    named.name.resize(hash);
  }
  return named;
}

class Drawing {
 public:
  EventBlock Read(std::string_view text) && {
    for (const std::string_view line : Split(text, '\n')) {
      const auto words = Split(line, ' ');
      if (words.empty()) continue;
      if (words[0] == "memory") {
        ReadMemory(words);
      } else if (words[0] == "flow") {
        ReadFlow(words);
      } else {
        ReadRow(words);
      }
    }
    block_.event_count = next_event_;
    return std::move(block_);
  }

 private:
  std::pair<uint32_t, Row> TrackNamed(std::string_view name) {
    const Row row = RowOf(name, block_.strings);
    for (uint32_t t = 0; t < block_.tracks.size(); ++t) {
      if (block_.tracks[t] == row.key) return {t, row};
    }
    block_.tracks.push_back(row.key);
    const auto track = static_cast<uint32_t>(block_.tracks.size() - 1);
    block_.metadata.push_back({.track = track, .text = block_.strings.Intern(name)});
    return {track, row};
  }

  void ReadRow(const std::vector<std::string_view>& words) {
    const auto [track, row] = TrackNamed(words[0]);
    std::string name;
    for (size_t w = 1; w < words.size(); ++w) {
      if (const auto range = RangeOf(words[w])) {
        AddSpan(NamedBy(name, row.device >= 0), *range, track, row);
        name.clear();
      } else if (name.empty() && words[w].find('=') != std::string_view::npos) {
        SetKey(words[w]);
      } else {
        if (!name.empty()) name += ' ';
        name += words[w];
      }
    }
    if (!name.empty()) Bad("a name without a range", name);
  }

  void AddSpan(const Named& named, std::pair<int64_t, int64_t> range, uint32_t track,
               const Row& row) {
    if (named.name.empty())
      Bad("a range without a name", block_.strings[block_.metadata[track].text]);
    block_.start.push_back(range.first);
    block_.duration.push_back(range.second - range.first);
    block_.name.push_back(block_.strings.Intern(named.name));
    block_.track.push_back(track);
    block_.event.push_back(next_event_++);
    block_.kind.push_back(named.kind);
    block_.flags.push_back(0);
    block_.args.push_back(AddArgs(named, row));
  }

  uint32_t AddArgs(const Named& named, const Row& row) {
    switch (TableOf(named.kind)) {
      case ArgsTable::kOp:
        block_.op_args.emplace_back();
        return static_cast<uint32_t>(block_.op_args.size() - 1);
      case ArgsTable::kFrame:
        block_.frame_args.emplace_back();
        return static_cast<uint32_t>(block_.frame_args.size() - 1);
      case ArgsTable::kCall:
        block_.call_args.emplace_back().correlation = named.correlation;
        return static_cast<uint32_t>(block_.call_args.size() - 1);
      case ArgsTable::kDevice: {
        DeviceArgs args;
        args.correlation = named.correlation;
        args.device = std::max(row.device, 0);
        args.stream = row.stream;
        block_.device_args.push_back(args);
        return static_cast<uint32_t>(block_.device_args.size() - 1);
      }
    }
    std::unreachable();
  }

  // Of the span drawn last.
  void SetKey(std::string_view word) {
    if (block_.start.empty()) Bad("a key without a span", word);
    const std::string_view key = word.substr(0, word.find('='));
    const std::string_view value = word.substr(key.size() + 1);
    const uint32_t row = block_.args.back();
    const ArgsTable table = TableOf(block_.kind.back());
    if (key == "ext" && table == ArgsTable::kOp) {
      block_.op_args[row].external_id = static_cast<uint64_t>(Number(value, word));
    } else if (key == "ext" && table == ArgsTable::kCall) {
      block_.call_args[row].external_id = static_cast<uint64_t>(Number(value, word));
    } else if (key == "seq" && table == ArgsTable::kOp) {
      block_.op_args[row].sequence = Number(value, word);
    } else if (key == "fwd" && table == ArgsTable::kOp) {
      block_.op_args[row].forward_thread = static_cast<int32_t>(Number(value, word));
    } else if (key == "dims" && table == ArgsTable::kOp) {
      block_.op_args[row].input_dims = block_.strings.Intern(value);
    } else if (table == ArgsTable::kDevice) {
      SetDeviceKey(key, value, row, word);
    } else {
      Bad("an unknown key for this kind of span", word);
    }
  }

  void SetDeviceKey(std::string_view key, std::string_view value, uint32_t row,
                    std::string_view word) {
    DeviceArgs args = block_.device_args[row];
    if (key == "ext") {
      args.external_id = static_cast<uint64_t>(Number(value, word));
    } else if (key == "bytes") {
      args.bytes = Number(value, word);
    } else if (key == "blocks") {
      args.blocks_per_sm = std::stof(std::string(value));
    } else if (key == "occupancy") {
      args.occupancy_percent = std::stof(std::string(value));
    } else if (key == "graph") {
      args.graph_node = static_cast<uint32_t>(Number(value, word));
    } else {
      Bad("an unknown key for this kind of span", word);
    }
    block_.device_args.Set(row, args);
  }

  void ReadMemory(const std::vector<std::string_view>& words) {
    if (words.size() < 2) Bad("no device", words[0]);
    const Row device = RowOf(words[1], block_.strings);
    for (size_t w = 2; w < words.size(); ++w) {
      const auto parts = Split(words[w], '@');
      if (parts.size() != 2) Bad("no BYTES@TIME", words[w]);
      Allocation& allocation = block_.allocations.emplace_back();
      allocation.bytes = Number(parts[0], words[w]);
      allocation.address = AddressFor(allocation.bytes);
      allocation.time = {Number(parts[1], words[w])};
      allocation.track = TrackId{TrackNamed("main").first};
      allocation.event = next_event_++;
      allocation.device = std::max(device.device, 0);
      allocation.device_type = device.device < 0 ? DeviceType::kCpu : DeviceType::kGpu;
    }
  }

  // A new address for an allocation; for a free, that of the latest block of its size still held.
  uint64_t AddressFor(int64_t bytes) {
    if (bytes >= 0) {
      held_.push_back({bytes, ++addresses_});
      return addresses_;
    }
    for (size_t i = held_.size(); i-- > 0;) {
      if (held_[i].first != -bytes) continue;
      const uint64_t address = held_[i].second;
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(i));
      return address;
    }
    return ++addresses_;
  }

  void ReadFlow(const std::vector<std::string_view>& words) {
    if (words.size() != 4) Bad("no NAME#ID from@t to@t", words[0]);
    const auto name = Split(words[1], '#');
    for (const size_t end : {0U, 1U}) {
      const auto place = Split(words[2 + end], '@');
      if (name.size() != 2 || place.size() != 2) Bad("no NAME#ID from@t to@t", words[1]);
      Flow& flow = block_.flows.emplace_back();
      flow.id = static_cast<uint64_t>(Number(name[1], words[1]));
      flow.name = block_.strings.Intern(name[0]);
      flow.track = TrackId{TrackNamed(place[0]).first};
      flow.time = {Number(place[1], words[2 + end])};
      flow.event = next_event_++;
      flow.phase = end == 0 ? FlowPhase::kStart : FlowPhase::kEnd;
      flow.binds_enclosing = end == 1;
    }
  }

  EventBlock block_;
  std::vector<std::pair<int64_t, uint64_t>> held_;  // (bytes, address)
  uint64_t addresses_ = 0;
  uint32_t next_event_ = 0;
};

}  // namespace

EventBlock TraceTextBlock(std::string_view text) { return Drawing().Read(text); }

Trace TraceText(std::string_view text) {
  TraceBuilder builder;
  builder.Append(TraceTextBlock(text));
  TaskPool pool(1);
  Diagnostics diagnostics;
  return std::move(builder).Build({}, {}, {}, {}, pool, diagnostics);
}

uint32_t SliceNamed(const Trace& trace, std::string_view name, uint32_t nth) {
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    if (trace.Name(row) == name && nth-- == 0) return row;
  }
  throw std::invalid_argument(fmt::format("no slice named \"{}\"", name));
}

}  // namespace stepscope
