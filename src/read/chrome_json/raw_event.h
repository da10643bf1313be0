#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stepscope::chrome_json {

// A piece of the file's text, valid while its chunk is.
struct Text {
  const char* data = nullptr;
  uint32_t size = 0;
  bool escaped = false;  // holds backslashes

  std::string_view view() const { return {data, size}; }
  bool StartsWith(std::string_view prefix) const { return view().starts_with(prefix); }
};

// A member of `args` that the reader keeps; all others are skipped.
enum class Arg : uint8_t {
  // Whole numbers, also when written as text ("17", "0x1f").
  kExternalId,
  kCorrelation,
  kSequence,
  kForwardThread,
  kDevice,
  kStream,
  kBytes,
  kRegisters,
  kSharedMemory,
  kGraphNode,
  kPythonId,
  kPythonParent,
  kPythonModule,
  kInElements,
  kOutElements,
  kGroupSize,
  kCollectiveSequence,
  kCollectiveId,
  kSourceRank,
  kDestinationRank,
  kGroupStart,
  kGroupStride,
  kDeviceType,
  kDeviceId,
  kAddress,
  kAllocatedBytes,
  kTotalAllocated,
  kTotalReserved,
  kSortIndex,
  kStepNumber,
  // Fractions.
  kBlocksPerSm,
  kOccupancy,
  // Texts; other values are kept as spelt.
  kInputDims,
  kInputTypes,
  kOrtShapes,
  kGrid,
  kBlock,
  kCallStack,
  kModules,
  kCollectiveName,
  kDtype,
  kGroupName,
  kGroupDescription,
  kGroupRanks,
  kFinished,
  kName,
  kLabels,
  kOp,
  kOpName,
  kLongName,
  kKernelDetails,
  kMemcpyDetails,
  kHloOp,
  kTfOp,
  kCount,
  kNone = kCount,
};
inline constexpr auto kFirstReal = Arg::kBlocksPerSm;
inline constexpr auto kFirstText = Arg::kInputDims;
static_assert(static_cast<int>(Arg::kCount) <= 64);

// The kept members of one `args`. Only what `seen` names is set.
struct RawArgs {
  uint64_t seen = 0;
  std::array<int64_t, static_cast<size_t>(kFirstReal)> numbers;
  std::array<double, static_cast<size_t>(kFirstText) - static_cast<size_t>(kFirstReal)> reals;
  std::array<Text, static_cast<size_t>(Arg::kCount) - static_cast<size_t>(kFirstText)> texts;

  static constexpr uint64_t Bit(Arg arg) { return uint64_t{1} << static_cast<int>(arg); }
  bool Has(Arg arg) const { return (seen & Bit(arg)) != 0; }
  int64_t Number(Arg arg, int64_t otherwise) const {
    return Has(arg) ? numbers[static_cast<size_t>(arg)] : otherwise;
  }
  double Real(Arg arg, double otherwise) const {
    return Has(arg) ? reals[static_cast<size_t>(arg) - static_cast<size_t>(kFirstReal)] : otherwise;
  }
  Text TextOf(Arg arg) const {
    return Has(arg) ? texts[static_cast<size_t>(arg) - static_cast<size_t>(kFirstText)] : Text{};
  }
  void Set(Arg arg, int64_t number) {
    numbers[static_cast<size_t>(arg)] = number;
    seen |= Bit(arg);
  }
  void Set(Arg arg, double real) {
    reals[static_cast<size_t>(arg) - static_cast<size_t>(kFirstReal)] = real;
    seen |= Bit(arg);
  }
  void Set(Arg arg, Text text) {
    texts[static_cast<size_t>(arg) - static_cast<size_t>(kFirstText)] = text;
    seen |= Bit(arg);
  }
};

// pid, tid or id: a number where the file has one, also when written as text.
struct RawId {
  Text text;  // empty for numbers
  int64_t number = 0;
  bool present = false;
};

enum class RawTime : uint8_t { kAbsent, kGood, kUnusable };

// The members of one entry of traceEvents, taken apart but not yet understood.
struct RawFields {
  uint64_t offset = 0;  // in the (uncompressed) file
  Text name;
  Text category;
  Text phase;      // nearly always one letter
  Text scope;      // of ids
  Text args_text;  // from { to }, to be gone through again for counters
  RawId process;
  RawId thread;
  RawId id;
  RawId bind_id;
  int64_t time = 0;  // ns
  int64_t duration = 0;
  RawTime has_time = RawTime::kAbsent;
  RawTime has_duration = RawTime::kAbsent;
  bool binds_enclosing = false;  // bp:"e"
  bool flow_in = false;
  bool flow_out = false;
  bool empty = true;  // {}
};

struct RawEvent : RawFields {
  RawArgs args;

  void Clear() {
    static_cast<RawFields&>(*this) = RawFields();
    args.seen = 0;
  }
};

}  // namespace stepscope::chrome_json
