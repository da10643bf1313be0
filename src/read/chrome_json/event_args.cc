// The part of EventSink that turns `args` into rows of the typed tables.

#include <algorithm>
#include <array>
#include <limits>

#include "read/chrome_json/decimal.h"
#include "read/chrome_json/event_sink.h"
#include "trace/element_type.h"
#include "trace/trace.h"

namespace stepscope::chrome_json {
namespace {

constexpr uint64_t Any(std::initializer_list<Arg> args) {
  uint64_t bits = 0;
  for (const Arg arg : args) bits |= RawArgs::Bit(arg);
  return bits;
}

constexpr uint64_t kOpBits =
    Any({Arg::kExternalId, Arg::kSequence, Arg::kForwardThread, Arg::kInputDims, Arg::kInputTypes,
         Arg::kOrtShapes, Arg::kCallStack, Arg::kModules});
constexpr uint64_t kCollectiveBits =
    Any({Arg::kCollectiveName, Arg::kInElements, Arg::kOutElements, Arg::kGroupSize});
constexpr uint64_t kDeferredBits =
    Any({Arg::kCorrelation, Arg::kDevice, Arg::kKernelDetails, Arg::kMemcpyDetails, Arg::kHloOp,
         Arg::kTfOp, Arg::kStepNumber, Arg::kOp, Arg::kName});

template <typename Integer>
Integer Clamp(int64_t value) {
  return static_cast<Integer>(std::clamp<int64_t>(value, std::numeric_limits<Integer>::min(),
                                                  std::numeric_limits<Integer>::max()));
}

// [64, 1, 1]
template <typename Integer>
void Triple(const Text& text, Integer (&out)[3]) {
  const char* at = text.data;
  const char* const end = at + text.size;
  for (Integer& value : out) {
    while (at < end && !IsDigit(*at)) ++at;
    int64_t number = 0;
    while (at < end && IsDigit(*at)) {
      number = std::min<int64_t>(number * 10 + (*at - '0'), std::numeric_limits<uint32_t>::max());
      ++at;
    }
    value = Clamp<Integer>(number);
  }
}

}  // namespace

uint32_t EventSink::ArgsRow(Kind kind, const RawEvent& event) {
  switch (TableOf(kind)) {
    case ArgsTable::kOp:
      return OpRow(event);
    case ArgsTable::kCall:
      return CallRow(event);
    case ArgsTable::kDevice:
      return DeviceRow(event);
    case ArgsTable::kFrame:
      return FrameRow(event);
  }
  return kNoRow;
}

uint32_t EventSink::OpRow(const RawEvent& event) {
  const RawArgs& args = event.args;
  if ((args.seen & kOpBits) == 0) return kNoRow;
  OpArgs& row = block_.op_args.emplace_back();
  row.external_id = static_cast<uint64_t>(args.Number(Arg::kExternalId, 0));
  row.sequence = args.Number(Arg::kSequence, -1);
  row.forward_thread = Clamp<int32_t>(args.Number(Arg::kForwardThread, -1));
  if (args.Has(Arg::kInputDims)) {
    row.input_dims = interner_.Intern(args.TextOf(Arg::kInputDims), Reading::kCompactJson);
    row.input_types = interner_.Intern(args.TextOf(Arg::kInputTypes), Reading::kCompactJson);
  } else if (args.Has(Arg::kOrtShapes)) {
    row.input_dims = interner_.Intern(args.TextOf(Arg::kOrtShapes), Reading::kOrtShapes);
    row.input_types = interner_.Intern(args.TextOf(Arg::kOrtShapes), Reading::kOrtTypes);
  }
  row.stack = interner_.Intern(args.TextOf(Arg::kCallStack));
  if (row.stack == kEmptyString) row.stack = interner_.Intern(args.TextOf(Arg::kModules));
  return static_cast<uint32_t>(block_.op_args.size() - 1);
}

uint32_t EventSink::CallRow(const RawEvent& event) {
  const RawArgs& args = event.args;
  block_.call_args.push_back({static_cast<uint64_t>(args.Number(Arg::kCorrelation, 0)),
                              static_cast<uint64_t>(args.Number(Arg::kExternalId, 0))});
  return static_cast<uint32_t>(block_.call_args.size() - 1);
}

uint32_t EventSink::FrameRow(const RawEvent& event) {
  const RawArgs& args = event.args;
  block_.frame_args.push_back({args.Number(Arg::kPythonId, -1), args.Number(Arg::kPythonParent, -1),
                               args.Number(Arg::kPythonModule, -1)});
  return static_cast<uint32_t>(block_.frame_args.size() - 1);
}

namespace {

void FillDevice(const RawEvent& event, DeviceArgs& row) {
  const RawArgs& args = event.args;
  row.correlation = static_cast<uint64_t>(args.Number(Arg::kCorrelation, 0));
  row.external_id = static_cast<uint64_t>(args.Number(Arg::kExternalId, 0));
  row.bytes = args.Number(Arg::kBytes, -1);
  Triple(args.TextOf(Arg::kGrid), row.grid);
  Triple(args.TextOf(Arg::kBlock), row.block);
  row.registers = Clamp<uint16_t>(args.Number(Arg::kRegisters, 0));
  row.device = Clamp<int32_t>(args.Number(Arg::kDevice, event.process.number));
  row.stream = Clamp<int32_t>(args.Number(Arg::kStream, event.thread.number));
  row.shared_memory = Clamp<uint32_t>(args.Number(Arg::kSharedMemory, 0));
  row.blocks_per_sm = static_cast<float>(args.Real(Arg::kBlocksPerSm, -1));
  row.occupancy_percent = static_cast<float>(args.Real(Arg::kOccupancy, -1));
  // Node ids of instantiated graphs are wider than 32 bits; their low half tells nodes apart.
  row.graph_node = static_cast<uint32_t>(args.Number(Arg::kGraphNode, 0));
}

}  // namespace

uint32_t EventSink::DeviceRow(const RawEvent& event) {
  DeviceArgs row;
  FillDevice(event, row);
  if ((event.args.seen & kCollectiveBits) != 0) row.collective = CollectiveRow(event);
  block_.device_args.push_back(row);
  return static_cast<uint32_t>(block_.device_args.size() - 1);
}

uint32_t EventSink::CollectiveRow(const RawEvent& event) {
  const RawArgs& args = event.args;
  CollectiveArgs& row = block_.collectives.emplace_back();
  row.name = interner_.Intern(args.TextOf(Arg::kCollectiveName));
  row.dtype = interner_.Intern(args.TextOf(Arg::kDtype));
  row.group = interner_.Intern(args.TextOf(Arg::kGroupName));
  SeeGroup(args, chunk_.groups);
  row.in_elements = args.Number(Arg::kInElements, -1);
  row.out_elements = args.Number(Arg::kOutElements, -1);
  row.group_size = Clamp<int32_t>(args.Number(Arg::kGroupSize, -1));
  row.sequence = args.Number(Arg::kCollectiveSequence, -1);
  row.id = static_cast<uint64_t>(args.Number(Arg::kCollectiveId, 0));
  row.source = Clamp<int32_t>(args.Number(Arg::kSourceRank, -1));
  row.destination = Clamp<int32_t>(args.Number(Arg::kDestinationRank, -1));
  const int64_t element = ElementBytes(args.TextOf(Arg::kDtype).view());
  int64_t bytes = 0;
  if (element > 0 && row.in_elements >= 0 &&
      !__builtin_mul_overflow(row.in_elements, element, &bytes)) {
    row.bytes = bytes;
  }
  return static_cast<uint32_t>(block_.collectives.size() - 1);
}

void EventSink::Defer(uint32_t row, const RawEvent& event) {
  const RawArgs& args = event.args;
  if ((args.seen & kDeferredBits) == 0) return;
  Deferred& deferred = chunk_.deferred.emplace_back();
  deferred.row = row;
  FillDevice(event, deferred.device);
  deferred.kernel_details = interner_.Intern(args.TextOf(Arg::kKernelDetails));
  deferred.transfer_details = interner_.Intern(args.TextOf(Arg::kMemcpyDetails));
  deferred.op = interner_.Intern(args.Has(Arg::kTfOp)    ? args.TextOf(Arg::kTfOp)
                                 : args.Has(Arg::kHloOp) ? args.TextOf(Arg::kHloOp)
                                                         : args.TextOf(Arg::kName));
  deferred.op_type = interner_.Intern(args.TextOf(Arg::kOp));
  deferred.hlo = args.Has(Arg::kHloOp);
  deferred.step = args.Number(Arg::kStepNumber, -1);
}

}  // namespace stepscope::chrome_json
