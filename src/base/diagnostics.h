#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"

namespace stepscope {

enum class Severity : uint8_t { kInfo, kWarning, kError };

// Everything that a reader or an analysis may report about the quality of a profile. The
// table in diagnostics.cc gives each its stable code (`quality[].code` in the JSON) and severity;
// words/quality.h has its sentence.
enum class Diagnostic : uint8_t {
  kFileTruncated,   // the file ends in the middle; everything before was read
  kMalformedJson,   // text that is no JSON; reading stopped or went on at the next event
  kMalformedEvent,  // one event could not be used
  kEmptyEvent,      // an entry without members, as some writers end their list with
  kEventWithoutTime,
  kNegativeDuration,
  kMissingDuration,
  kAbsurdDuration,  // longer than a week: kept out of all sums
  kUnmatchedBegin,
  kUnmatchedEnd,
  kUnknownPhase,
  kInvalidUtf8,
  kOverlappingSlices,  // slices that overlap without nesting, kept on extra lanes
  kDanglingFlows,
  kUnlinkedDeviceEvents,
  kNoDeviceEvents,  // launches are there, kernels are not
  kStepCut,
  kStepWarmup,
  kStepsByRepetition,
  kNoSteps,
  kDeviceIdsDiffer,
  kGzipDamaged,
  kTrailingGarbage,
  kTooDeep,
  kUnknownFields,  // protobuf fields that the reader has no name for
  kMalformedProtobuf,
  kProfileReportsLoss,   // the profile itself says that events were dropped
  kProfileReportsError,  // errors or warnings that the profiler wrote into the profile
  kClockUnknown,
  kFileSkipped,       // a file of the directory that is not read here
  kTableSkipped,      // a table of a database whose rows are not read
  kDatabaseDamaged,   // a table of a database could not be read to its end
  kProgramDied,       // the recorded program was killed or returned a failure
  kRecordingDamaged,  // bytes of a recording that no block accounts for
  kNotRecorded,       // what a recording lacks, and how to get it
};

std::string_view CodeOf(Diagnostic diagnostic);
Severity SeverityOf(Diagnostic diagnostic);

// What the readers could not use or had to guess, counted, with the first examples. Never prints.
// Not thread-safe: each block has its own and they are merged in file order.
class Diagnostics {
 public:
  static constexpr size_t kMaxExamples = 3;

  struct Example {
    std::optional<uint64_t> offset;
    Messages text;  // what the file says there, or what is wrong there
  };
  struct Entry {
    Diagnostic code;
    uint64_t count = 0;
    std::vector<Example> examples;
    Message sentence;  // replaces the table's sentence when not empty
  };

  // `text` is what the file says.
  void Add(Diagnostic code, uint64_t count = 1, std::optional<uint64_t> offset = std::nullopt,
           std::string_view text = {});
  void Add(Diagnostic code, uint64_t count, std::optional<uint64_t> offset, Messages what);
  // Sets a sentence of its own for a code.
  void Say(Diagnostic code, Message sentence, uint64_t count = 1);
  void Merge(const Diagnostics& other);
  uint64_t CountOf(Diagnostic code) const;
  // In the order of the enum, so that output does not depend on the order of events.
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  Entry& At(Diagnostic code);
  std::vector<Entry> entries_;
};

}  // namespace stepscope
