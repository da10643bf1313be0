#include "read/xplane/line_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "read/xplane/event.h"
#include "read/xplane/module_runs.h"
#include "read/xplane/repeated_work.h"
#include "read/xplane/shapes.h"

namespace stepscope::xplane {
namespace {

// Hand-overs between threads of these contexts are left out: TensorFlow's executor and thread pools
// write several for each op, and the events around them say the same.
constexpr int64_t kTfExecutorContext = 2, kThreadpoolContext = 15;
constexpr int64_t kTpuLaunchContext = 12;

class ChunkDecoder {
 public:
  ChunkDecoder(const PlaneContext& context, const Line& line, const SpaceBytes::Piece& piece,
               const ChunkRows& rows)
      : context_(context),
        line_(line),
        slices_(rows.slices),
        device_args_(rows.device_args),
        first_device_(rows.first_device),
        piece_(piece),
        readable_(piece.readable()),
        role_(RoleOfLine(context.parsed.type, line.name)),
        python_thread_(line.name.starts_with("python") || line.name.starts_with("main") ||
                       line.name.starts_with("MainThread")),
        names_(context.names.size(), kNotInterned),
        repeats_(HasDeviceWork(context, line) && context.modules.empty()) {}

  EventBlock Decode(const Chunk& chunk, bool first, uint32_t row) {
    block_.offset = piece_.OffsetOf(piece_.bytes().data());
    block_.event_count = chunk.events;
    AddTrack(first);
    next_row_ = row;
    last_row_ = row + static_cast<uint32_t>(chunk.spans);
    block_.allocations.reserve(chunk.events - chunk.spans);
    ForEachEvent(piece_, [this](std::string_view event) {
      ReadEvent(event);
      ++ordinal_;
    });
    block_.placed = {row, next_row_};
    return std::move(block_);
  }

 private:
  static constexpr StringId kNotInterned{~uint32_t{0}};

  struct PlainSpan {
    StringId name = kEmptyString;
    Kind kind = Kind::kOther;
    bool known = false;
    bool without_stats = false;  // whatever it carries; else only where it carries none
  };

  void AddTrack(bool first) {
    EventBlock::TrackKey key;
    key.process.text = block_.strings.Intern(context_.plane->name);
    key.thread.number = line_.id;
    key.kind = TrackKindOf(role_);
    block_.tracks.push_back(key);
    if (!first) return;
    using enum EventBlock::MetadataKey;
    block_.metadata.push_back({0, kProcessName, key.process.text, 0});
    block_.metadata.push_back({0, kProcessSortIndex, kEmptyString, context_.order});
    block_.metadata.push_back({0, kThreadName, block_.strings.Intern(line_.name), 0});
  }

  void LeaveOut(Diagnostic code, std::string_view event) {
    ++block_.diagnosed;
    block_.diagnostics.Add(code, 1, piece_.OffsetOf(event.data()));
  }

  // `row` of the plane's names.
  StringId InternName(uint32_t row, uint64_t metadata_id) {
    if (row == IdIndex::kNone) {
      return block_.strings.Intern(fmt::format("event {}", metadata_id));
    }
    if (names_[row] == kNotInterned) names_[row] = block_.strings.Intern(context_.names[row].name);
    return names_[row];
  }

  void ReadEvent(std::string_view event) {
    EventHead head;
    if (!ReadPlainHead(event, readable_, head)) {
      head = {};
      if (!ReadHead(event, readable_, head)) return LeaveOut(Diagnostic::kMalformedEvent, event);
    }
    EventTime time;
    if (!PlaceInTime(head, line_.timestamp_ns, time)) {
      return LeaveOut(Diagnostic::kEventWithoutTime, event);
    }
    if (head.metadata_id < plain_.size() && next_row_ != last_row_) {
      const PlainSpan plain = plain_[head.metadata_id];
      if (plain.known && (plain.without_stats || head.stats.empty())) {
        AddSpan(time, plain.name, plain.kind);
        return;
      }
    }
    if (!repeats_) return ReadAnyEvent(event, head, time);
    const WorkStats stats = SplitWorkStats(head.stats, readable_, context_.roles);
    if (AddRepeated(head.metadata_id, stats, time)) return;
    const uint32_t work = block_.placed_device_args;
    ReadAnyEvent(event, head, time);
    if (block_.placed_device_args != work) RememberWork(head.metadata_id, stats);
  }

  // Whether it is device work that was read before.
  bool AddRepeated(uint64_t metadata_id, const WorkStats& stats, EventTime time) {
    if (stats.correlation == kNoCorrelation || next_row_ == last_row_) return false;
    const RepeatedWork::Known* const known = repeated_.Find(metadata_id, stats.rest);
    if (known == nullptr) return false;
    const uint32_t row = AddSpan(time, known->name, known->kind);
    DeviceArgs args;
    args.correlation = stats.correlation;
    args.op = known->op;
    PlaceArgs(row, args, known->number);
    return true;
  }

  // The device work that was added last.
  void RememberWork(uint64_t metadata_id, const WorkStats& stats) {
    if (stats.correlation == kNoCorrelation) return;
    if (!stats_.Read(stats.rest, readable_, context_.roles)) return;
    if (stats_.Has(StatRole::kCorrelation)) return;  // given twice: the last one counts
    const uint32_t row = next_row_ - 1;
    repeated_.Add({.metadata_id = metadata_id,
                   .rest = stats.rest,
                   .name = slices_.name[row],
                   .op = last_op_,
                   .number = last_number_,
                   .kind = slices_.kind[row]});
  }

  void PlaceArgs(uint32_t row, const DeviceArgs& args, uint32_t number) {
    slices_.args[row] = block_.placed_device_args;
    device_args_.Place(first_device_ + block_.placed_device_args++, args, number);
  }

  // The row of a span, its args aside.
  uint32_t AddSpan(EventTime time, StringId name, Kind kind) {
    const uint32_t row = next_row_++;
    slices_.start[row] = {time.start};
    slices_.duration[row] = {time.duration};
    slices_.name[row] = name;
    slices_.args[row] = kNoRow;
    slices_.event[row] = ordinal_;
    slices_.kind[row] = kind;
    slices_.flags[row] = 0;
    return row;
  }

  // Most events of a thread are what their name says and nothing else: remembered by id, so that
  // the next one needs no more than its head.
  void Remember(uint64_t metadata_id, const NameMeaning& meaning, StringId name, Kind kind) {
    constexpr uint64_t kMostIds = uint64_t{1} << 20;
    if (context_.parsed.is_device() || metadata_id >= kMostIds) return;
    if (metadata_id >= plain_.size()) plain_.resize(metadata_id + 1);
    plain_[metadata_id] = {name, kind, true, meaning.stats == kNoStats};
  }

  void ReadAnyEvent(std::string_view event, const EventHead& head, EventTime time) {
    static constexpr NameMeaning kUnnamed{};
    const uint32_t name = context_.plane->event_rows[head.metadata_id];
    const NameMeaning* const meaning = name == IdIndex::kNone ? &kUnnamed : &context_.names[name];
    const bool wants_stats = meaning->stats != kNoStats && !head.stats.empty();
    if (wants_stats && !stats_.Read(head.stats, readable_, context_.roles)) {
      return LeaveOut(Diagnostic::kMalformedEvent, event);
    }
    if (meaning->kind == Kind::kAllocation) {
      if (!wants_stats) return LeaveOut(Diagnostic::kMalformedEvent, event);
      return AddAllocation(*meaning, time.start);
    }
    if (role_ == LineRole::kCounters && wants_stats && stats_.Has(StatRole::kCounterValue)) {
      return AddCounter(InternName(name, head.metadata_id), time.start);
    }
    if (next_row_ == last_row_) return LeaveOut(Diagnostic::kMalformedEvent, event);  // two ids
    const StringId shown = InternName(name, head.metadata_id);
    const uint32_t row = AddSpan(time, shown, KindOnLine(*meaning));
    if (name != IdIndex::kNone) Remember(head.metadata_id, *meaning, shown, slices_.kind[row]);
    if (context_.parsed.is_device()) {
      if (IsDeviceWork(slices_.kind[row])) AddDeviceArgs(*meaning, row, wants_stats);
    } else if (wants_stats) {
      AddHostArgs(*meaning, row);
    }
  }

  Kind KindOnLine(const NameMeaning& meaning) const {
    switch (role_) {
      case LineRole::kThread:
        return meaning.maybe_annotation && python_thread_ ? Kind::kAnnotation : meaning.kind;
      case LineRole::kStream:
      case LineRole::kXlaOps:
        return meaning.kind;
      case LineRole::kDerived:
        return Kind::kDeviceOp;
      case LineRole::kDeviceSteps:
        return Kind::kDeviceAnnotation;
      case LineRole::kOverhead:
        return Kind::kOverhead;
      case LineRole::kCounters:
        return Kind::kOther;
    }
    return Kind::kOther;
  }

  void AddHostArgs(const NameMeaning& meaning, uint32_t row) {
    if (stats_.empty()) return;
    if (meaning.stats & kMarkStats) {
      if (stats_.Has(StatRole::kStepNumber)) {
        slices_.kind[row] = Kind::kStep;
        OpArgs args;
        args.sequence = stats_.Integer(StatRole::kStepNumber, -1);
        AddOpArgs(row, args);
        if (const auto type = Text(StatRole::kGraphType); !type.empty()) {
          slices_.name[row] = block_.strings.Intern(type);
        }
        return;
      }
      if (stats_.Has(StatRole::kCorrelation)) {
        AddCall(row, stats_.Integer(StatRole::kCorrelation, 0));
        return;
      }
      if (stats_.Integer(StatRole::kProducerType, 0) == kTpuLaunchContext) {
        AddCall(row, stats_.Integer(StatRole::kProducer, 0));
        return;
      }
      if (stats_.Has(StatRole::kHloOp)) {
        slices_.kind[row] = Kind::kOp;
        return;  // its hand-over marks are its own end: no flow
      }
      if (stats_.Has(StatRole::kFunctionCall)) {
        // "traced-nonXla": the function was traced again in this call.
        const bool traced = Text(StatRole::kFunctionCall).starts_with("traced");
        slices_.kind[row] = traced ? Kind::kCompile : Kind::kAnnotation;
      }
    }
    if (meaning.stats & kFlowStats) AddFlows(row);
    if (meaning.stats & kIteratorStats) AddIterator(row);
    if ((meaning.stats & kShapeStats) && stats_.Has(StatRole::kShape)) AddShapes(row);
  }

  std::string_view Text(StatRole role) const { return context_.plane->Text(stats_[role]); }

  // A text that the file refers to is looked up once per chunk.
  StringId InternText(const StatValue& value) {
    if (value.type != StatValue::Type::kReference) {
      return block_.strings.Intern(context_.plane->Text(value));
    }
    const uint32_t row = context_.plane->stat_rows[value.bits];
    if (row == IdIndex::kNone) return kEmptyString;
    if (texts_.empty()) texts_.assign(context_.plane->stat_names.size(), kNotInterned);
    if (texts_[row] == kNotInterned) {
      texts_[row] = block_.strings.Intern(context_.plane->stat_names[row].second);
    }
    return texts_[row];
  }

  void AddCall(uint32_t row, int64_t correlation) {
    slices_.kind[row] = Kind::kCall;
    slices_.args[row] = static_cast<uint32_t>(block_.call_args.size());
    block_.call_args.push_back({static_cast<uint64_t>(correlation), 0});
  }

  void AddOpArgs(uint32_t row, const OpArgs& args) {
    slices_.args[row] = static_cast<uint32_t>(block_.op_args.size());
    block_.op_args.push_back(args);
  }

  // What an iterator says about itself is the same at each call, so it is kept with its first event
  // of the chunk. The number of elements in its buffer differs from call to call.
  void AddIterator(uint32_t row) {
    const uint32_t name = Index(slices_.name[row]);
    if (name >= described_.size()) described_.resize(name + 1);
    OpArgs args;
    args.sequence = Buffered();
    if (!described_[name]) {
      described_[name] = true;
      args.stack = block_.strings.Intern(DescribeIterator());
    }
    if (args.sequence >= 0 || args.stack != kEmptyString) AddOpArgs(row, args);
  }

  // -1 where it is not recorded. TensorFlow leaves the number out when the buffer is empty, and
  // says "unavailable" for its limit when it could not look.
  int64_t Buffered() const {
    if (!stats_.Has(StatRole::kBufferLimit)) return -1;
    const int64_t limit = stats_.Integer(StatRole::kBufferLimit, -1);
    return stats_.Integer(StatRole::kBufferedElements, limit >= 0 ? 0 : -1);
  }

  std::string DescribeIterator() const {
    std::string text;
    for (const auto& [key, role] : {std::pair{"name", StatRole::kName},
                                    {"parallelism", StatRole::kParallelism},
                                    {"buffer_limit", StatRole::kBufferLimit},
                                    {"buffer_size", StatRole::kBufferSize},
                                    {"autotune", StatRole::kAutotune}}) {
      if (!stats_.Has(role)) continue;
      const StatValue& value = stats_[role];
      const std::string_view words = Text(role);
      if (!text.empty()) text += ';';
      text += words.empty() ? fmt::format("{}={}", key, value.Integer(0))
                            : fmt::format("{}={}", key, words);
    }
    return text;
  }

  void AddShapes(uint32_t row) {
    const TensorShapes shapes = ParseTensorShapes(Text(StatRole::kShape));
    if (shapes.dims.empty()) return;
    OpArgs args;
    args.input_dims = block_.strings.Intern(shapes.dims);
    args.input_types = block_.strings.Intern(shapes.types);
    AddOpArgs(row, args);
  }

  void AddFlows(uint32_t row) {
    AddFlow(row, StatRole::kProducerType, StatRole::kProducer, FlowPhase::kStart);
    AddFlow(row, StatRole::kConsumerType, StatRole::kConsumer, FlowPhase::kEnd);
  }
  void AddFlow(uint32_t row, StatRole type_role, StatRole id_role, FlowPhase phase) {
    const int64_t id = stats_.Integer(id_role, 0);
    if (id == 0) return;
    const int64_t type = stats_.Integer(type_role, 0);
    if (type == kTfExecutorContext || type == kThreadpoolContext) return;
    Flow flow;
    flow.id = static_cast<uint64_t>(id) ^ (static_cast<uint64_t>(type) * 0x9e3779b97f4a7c15u);
    flow.time = slices_.start[row];
    if (hand_over_ == kNotInterned) hand_over_ = block_.strings.Intern("hand-over");
    flow.name = hand_over_;
    flow.track = TrackId{0};
    flow.event = ordinal_;
    flow.phase = phase;
    flow.binds_enclosing = true;
    block_.flows.push_back(flow);
  }

  void AddAllocation(const NameMeaning& meaning, int64_t start) {
    Allocation allocation;
    allocation.time = TimeNs{start};
    const int64_t bytes =
        stats_.Integer(StatRole::kAllocationBytes, stats_.Integer(StatRole::kRequestedBytes, 0));
    allocation.bytes = meaning.frees ? -bytes : bytes;
    const int64_t heap = stats_.Integer(StatRole::kBytesAllocated, -1);
    const int64_t stack = stats_.Integer(StatRole::kBytesReserved, 0);
    allocation.total_allocated = heap < 0 ? -1 : heap + std::max<int64_t>(stack, 0);
    allocation.address = static_cast<uint64_t>(stats_.Integer(StatRole::kAddress, 0));
    allocation.track = TrackId{0};
    allocation.event = ordinal_;
    PlaceAllocator(Text(StatRole::kAllocator), allocation);
    allocation.allocator = InternText(stats_[StatRole::kAllocator]);
    allocation.op = InternText(stats_[StatRole::kTfOp]);
    block_.allocations.push_back(allocation);
  }

  // "GPU_0_bfc" is memory of GPU 0; host allocators of all kinds are the host's.
  void PlaceAllocator(std::string_view allocator, Allocation& allocation) {
    allocation.device_type = DeviceType::kCpu;
    if (stats_.Has(StatRole::kIndexOnHost)) {
      allocation.device_type = DeviceType::kTpu;
      allocation.device = static_cast<int32_t>(stats_.Integer(StatRole::kIndexOnHost, 0));
    } else if (allocator.starts_with("GPU_")) {
      allocation.device_type = DeviceType::kGpu;
      std::from_chars(allocator.data() + 4, allocator.data() + allocator.size(), allocation.device);
    }
  }

  void AddCounter(StringId name, int64_t start) {
    CounterSample sample;
    sample.time = TimeNs{start};
    sample.value = stats_[StatRole::kCounterValue].Number(0);
    sample.name = name;
    block_.counters.emplace_back(sample, 0);
  }

  void AddDeviceArgs(const NameMeaning& meaning, uint32_t row, bool has_stats) {
    DeviceArgs args;
    args.device = context_.device;
    args.stream = static_cast<int32_t>(line_.id);
    args.bytes = meaning.bytes;
    if (has_stats) {
      args.correlation = static_cast<uint64_t>(stats_.Integer(StatRole::kCorrelation, 0));
      args.graph_node = static_cast<uint32_t>(stats_.Integer(StatRole::kGraphNode, 0));
      if (stats_.Has(StatRole::kOccupancy)) {
        args.occupancy_percent = static_cast<float>(stats_[StatRole::kOccupancy].Number(-1));
      }
      if (stats_.Has(StatRole::kKernelDetails)) AddLaunchConfiguration(args);
      for (const StatRole role : {StatRole::kMemcpyDetails, StatRole::kMemsetDetails}) {
        if (!stats_.Has(role)) continue;
        if (const auto bytes = BytesOfTransfer(Text(role))) args.bytes = *bytes;
      }
      if (stats_.Has(StatRole::kHloOp)) {
        const bool graph = args.graph_node != 0 && !meaning.instruction.empty();
        args.op = graph ? InternInstruction(meaning) : InternText(stats_[StatRole::kHloOp]);
      }
      if (args.op == kEmptyString) args.op = InternText(stats_[StatRole::kTfOp]);
    }
    if (args.op == kEmptyString) args.op = block_.strings.Intern(meaning.op);
    if (args.correlation == kNoCorrelation)
      args.correlation = LaunchAt(context_, slices_.start[row].ns);
    last_op_ = args.op;
    last_number_ = block_.device_args.NumberOf(args);
    PlaceArgs(row, args, last_number_);
  }

  // The instruction whose kernel the name is, which it has.
  StringId InternInstruction(const NameMeaning& meaning) {
    if (instructions_.empty()) instructions_.assign(context_.names.size(), kNotInterned);
    StringId& known = instructions_[static_cast<size_t>(&meaning - context_.names.data())];
    if (known == kNotInterned) known = block_.strings.Intern(meaning.instruction);
    return known;
  }

  void ReadLaunchConfiguration(std::string_view text, DeviceArgs& args) const {
    ReadKernelDetails(text, args);
    const uint64_t blocks = uint64_t{args.grid[0]} * args.grid[1] * args.grid[2];
    if (context_.sm_count > 0 && blocks > 0) {
      args.blocks_per_sm = static_cast<float>(static_cast<double>(blocks) / context_.sm_count);
    }
  }

  // Texts are interned in the file and few, so each is read once per chunk.
  void AddLaunchConfiguration(DeviceArgs& args) {
    const StatValue& value = stats_[StatRole::kKernelDetails];
    if (value.type != StatValue::Type::kReference) {
      return ReadLaunchConfiguration(context_.plane->Text(value), args);
    }
    const uint32_t row = context_.plane->stat_rows[value.bits];
    if (row == IdIndex::kNone) return;
    if (configuration_of_.empty()) {
      configuration_of_.assign(context_.plane->stat_names.size(), kNoRow);
    }
    uint32_t& at = configuration_of_[row];
    if (at == kNoRow) {
      at = static_cast<uint32_t>(configurations_.size());
      ReadLaunchConfiguration(context_.plane->stat_names[row].second,
                              configurations_.emplace_back());
    }
    const DeviceArgs& known = configurations_[at];
    std::copy(std::begin(known.grid), std::end(known.grid), args.grid);
    std::copy(std::begin(known.block), std::end(known.block), args.block);
    args.registers = known.registers;
    args.shared_memory = known.shared_memory;
    args.blocks_per_sm = known.blocks_per_sm;
    if (known.occupancy_percent >= 0) args.occupancy_percent = known.occupancy_percent;
  }

  const PlaneContext& context_;
  const Line& line_;
  Slices& slices_;
  DeviceTable& device_args_;
  const size_t first_device_;
  const SpaceBytes::Piece& piece_;
  const char* const readable_;
  const LineRole role_;
  const bool python_thread_;
  std::vector<StringId> names_;   // by row of the plane's names
  std::vector<PlainSpan> plain_;  // by metadata id
  std::vector<StringId> texts_;   // by row of the stats' names
  StringId hand_over_ = kNotInterned;
  std::vector<bool> described_;             // iterators, by name
  std::vector<StringId> instructions_;      // by row of the plane's names
  std::vector<uint32_t> configuration_of_;  // by row of the stats' names, into the next
  std::vector<DeviceArgs> configurations_;
  // Device work that may have been read before. On a TPU its correlation depends on the time.
  const bool repeats_;
  RepeatedWork repeated_;
  StringId last_op_ = kEmptyString;  // of the device work read last
  uint32_t last_number_ = 0;
  EventStats stats_;
  EventBlock block_;
  uint32_t next_row_ = 0;
  uint32_t last_row_ = 0;
  uint32_t ordinal_ = 0;
};

}  // namespace

bool HasDeviceWork(const PlaneContext& context, const Line& line) {
  const LineRole role = RoleOfLine(context.parsed.type, line.name);
  return role == LineRole::kStream || role == LineRole::kXlaOps;
}

EventBlock DecodeChunk(const PlaneContext& context, const Line& line, const Chunk& chunk,
                       const SpaceBytes& file, bool first, const ChunkRows& rows) {
  const SpaceBytes::Piece piece = file.Load(chunk.bytes);
  return ChunkDecoder(context, line, piece, rows).Decode(chunk, first, rows.first);
}

}  // namespace stepscope::xplane
