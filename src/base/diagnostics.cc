#include "base/diagnostics.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

struct Words {
  std::string_view code;
  Severity severity;
  std::string_view sentence;
};

Words WordsOf(Diagnostic diagnostic) {
  using enum Severity;
  switch (diagnostic) {
    case Diagnostic::kFileTruncated:
      return {"file-truncated", kError,
              "The file ends in the middle; everything before the cut was read."};
    case Diagnostic::kMalformedJson:
      return {
          "malformed-json", kError,
          "{} {place is|places are} not valid JSON; reading continued at the next event, if any."};
    case Diagnostic::kMalformedEvent:
      return {"malformed-event", kWarning,
              "{} {entry is not a usable event and was|entries are not usable events and were} "
              "left out."};
    case Diagnostic::kEmptyEvent:
      return {"empty-event", kInfo,
              "{} {entry of the event list is empty and was|entries of the event list are empty "
              "and were} left out."};
    case Diagnostic::kEventWithoutTime:
      return {"event-without-time", kWarning,
              "{} {event has|events have} no usable time stamp and {was|were} left out."};
    case Diagnostic::kNegativeDuration:
      return {"negative-duration", kWarning,
              "{} {event has|events have} a negative duration, taken as 0."};
    case Diagnostic::kMissingDuration:
      return {"missing-duration", kWarning,
              "{} complete {event has|events have} no duration, taken as 0."};
    case Diagnostic::kAbsurdDuration:
      return {
          "absurd-duration", kWarning,
          "{} {event claims|events claim} to last longer than a week; no sum counts {it|them}."};
    case Diagnostic::kUnmatchedBegin:
      return {"unmatched-begin", kWarning,
              "{} begin {event has|events have} no end and {lasts|last} to the end of the thread."};
    case Diagnostic::kUnmatchedEnd:
      return {"unmatched-end", kWarning,
              "{} end {event has|events have} no begin and {was|were} left out."};
    case Diagnostic::kUnknownPhase:
      return {"unknown-phase", kWarning,
              "{} {event has|events have} a phase that no format defines and {was|were} left out."};
    case Diagnostic::kInvalidUtf8:
      return {"invalid-utf8", kInfo,
              "{} {name is|names are} not valid UTF-8; the bad bytes are shown as U+FFFD."};
    case Diagnostic::kOverlappingSlices:
      return {"overlapping-slices", kInfo,
              "{} {event overlaps|events overlap} others on {its|their} row without nesting; kept "
              "on extra lanes."};
    case Diagnostic::kDanglingFlows:
      return {"dangling-flows", kInfo, "{} flow {half has|halves have} no partner."};
    case Diagnostic::kUnlinkedDeviceEvents:
      return {"unlinked-device-events", kWarning,
              "{} device {event has|events have} no launch in the file."};
    case Diagnostic::kNoDeviceEvents:
      return {"no-device-events", kError,
              "{} {launch was|launches were} recorded but no device event: the GPU side of the "
              "profile is missing."};
    case Diagnostic::kStepCut:
      return {"step-cut", kInfo,
              "{} {step is|steps are} cut by the end of the profile and left out."};
    case Diagnostic::kStepWarmup:
      return {"step-warmup", kInfo, "{} {step|steps} at the start {is|are} warm-up and left out."};
    case Diagnostic::kStepsByRepetition:
      return {"steps-by-repetition", kInfo,
              "The profile marks no steps; {} {was|were} found from what repeats."};
    case Diagnostic::kNoSteps:
      return {"no-steps", kInfo,
              "No steps are marked and nothing repeats: the whole profile is one window."};
    case Diagnostic::kDeviceIdsDiffer:
      return {"device-ids-differ", kInfo,
              "Memory events number the devices differently from kernels."};
    case Diagnostic::kGzipDamaged:
      return {"gzip-damaged", kError,
              "The compressed data is damaged; everything before the fault was read."};
    case Diagnostic::kTrailingGarbage:
      return {"trailing-garbage", kWarning,
              "There are bytes after the end of the data; they were ignored."};
    case Diagnostic::kTooDeep:
      return {
          "too-deep", kWarning,
          "{} {value nests|values nest} deeper than the reader follows; {its|their} content was "
          "skipped."};
    case Diagnostic::kUnknownFields:
      return {"unknown-fields", kInfo,
              "{} {field is|fields are} unknown to this version and {was|were} skipped."};
    case Diagnostic::kMalformedProtobuf:
      return {"malformed-protobuf", kError,
              "{} {message is|messages are} damaged; what came before the fault was read."};
    case Diagnostic::kProfileReportsLoss:
      return {"profile-reports-loss", kWarning,
              "The profiler says that it dropped {} {event|events}."};
    case Diagnostic::kProfileReportsError:
      return {"profile-reports-error", kWarning,
              "The profiler wrote {} {error or warning|errors or warnings} into the profile."};
    case Diagnostic::kClockUnknown:
      return {"clock-unknown", kInfo, "The profile does not say when it was taken."};
    case Diagnostic::kProgramDied:
      return {"program-died", kWarning, "The recorded program did not end well."};
    case Diagnostic::kRecordingDamaged:
      return {"recording-damaged", kError,
              "{} {byte|bytes} of the recording are damaged or cut; what came before and after was "
              "read."};
    case Diagnostic::kNotRecorded:
      return {"not-recorded", kWarning, "{} {part|parts} of the run could not be recorded."};
    case Diagnostic::kFileSkipped:
      return {"file-skipped", kInfo,
              "{} {file is not a profile|files are not profiles} that report reads."};
    case Diagnostic::kTableSkipped:
      return {"table-skipped", kInfo,
              "{} {table of the database holds|tables of the database hold} rows that Stepscope "
              "does not read."};
    case Diagnostic::kDatabaseDamaged:
      return {"database-damaged", kError,
              "{} {table of the database is|tables of the database are} damaged; the rows before "
              "the fault were read."};
  }
  std::unreachable();
}

}  // namespace

std::string_view CodeOf(Diagnostic diagnostic) { return WordsOf(diagnostic).code; }
Severity SeverityOf(Diagnostic diagnostic) { return WordsOf(diagnostic).severity; }
std::string_view SentenceOf(Diagnostic diagnostic) { return WordsOf(diagnostic).sentence; }

Diagnostics::Entry& Diagnostics::At(Diagnostic code) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), code,
                                   [](const Entry& e, Diagnostic c) { return e.code < c; });
  if (at != entries_.end() && at->code == code) return *at;
  return *entries_.insert(at, Entry{code, 0, {}, {}});
}

void Diagnostics::Add(Diagnostic code, uint64_t count, std::optional<uint64_t> offset,
                      std::string_view text) {
  Entry& entry = At(code);
  entry.count += count;
  if (entry.examples.size() < kMaxExamples && (offset || !text.empty())) {
    entry.examples.push_back({offset, std::string(text)});
  }
}

void Diagnostics::Say(Diagnostic code, std::string sentence, uint64_t count) {
  Entry& entry = At(code);
  entry.count += count;
  entry.sentence = std::move(sentence);
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const Entry& theirs : other.entries_) {
    Entry& mine = At(theirs.code);
    mine.count += theirs.count;
    if (!theirs.sentence.empty()) mine.sentence = theirs.sentence;
    for (const Example& example : theirs.examples) {
      if (mine.examples.size() == kMaxExamples) break;
      mine.examples.push_back(example);
    }
  }
}

uint64_t Diagnostics::CountOf(Diagnostic code) const {
  for (const Entry& entry : entries_) {
    if (entry.code == code) return entry.count;
  }
  return 0;
}

}  // namespace stepscope
