#include "base/diagnostics.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

struct Facts {
  std::string_view code;
  Severity severity;
};

Facts FactsOf(Diagnostic diagnostic) {
  using enum Severity;
  switch (diagnostic) {
    case Diagnostic::kFileTruncated:
      return {"file-truncated", kError};
    case Diagnostic::kMalformedJson:
      return {"malformed-json", kError};
    case Diagnostic::kMalformedEvent:
      return {"malformed-event", kWarning};
    case Diagnostic::kEmptyEvent:
      return {"empty-event", kInfo};
    case Diagnostic::kEventWithoutTime:
      return {"event-without-time", kWarning};
    case Diagnostic::kNegativeDuration:
      return {"negative-duration", kWarning};
    case Diagnostic::kMissingDuration:
      return {"missing-duration", kWarning};
    case Diagnostic::kAbsurdDuration:
      return {"absurd-duration", kWarning};
    case Diagnostic::kUnmatchedBegin:
      return {"unmatched-begin", kWarning};
    case Diagnostic::kUnmatchedEnd:
      return {"unmatched-end", kWarning};
    case Diagnostic::kUnknownPhase:
      return {"unknown-phase", kWarning};
    case Diagnostic::kInvalidUtf8:
      return {"invalid-utf8", kInfo};
    case Diagnostic::kOverlappingSlices:
      return {"overlapping-slices", kInfo};
    case Diagnostic::kDanglingFlows:
      return {"dangling-flows", kInfo};
    case Diagnostic::kUnlinkedDeviceEvents:
      return {"unlinked-device-events", kWarning};
    case Diagnostic::kNoDeviceEvents:
      return {"no-device-events", kError};
    case Diagnostic::kStepCut:
      return {"step-cut", kInfo};
    case Diagnostic::kStepWarmup:
      return {"step-warmup", kInfo};
    case Diagnostic::kStepsByRepetition:
      return {"steps-by-repetition", kInfo};
    case Diagnostic::kNoSteps:
      return {"no-steps", kInfo};
    case Diagnostic::kDeviceIdsDiffer:
      return {"device-ids-differ", kInfo};
    case Diagnostic::kGzipDamaged:
      return {"gzip-damaged", kError};
    case Diagnostic::kTrailingGarbage:
      return {"trailing-garbage", kWarning};
    case Diagnostic::kTooDeep:
      return {"too-deep", kWarning};
    case Diagnostic::kUnknownFields:
      return {"unknown-fields", kInfo};
    case Diagnostic::kMalformedProtobuf:
      return {"malformed-protobuf", kError};
    case Diagnostic::kProfileReportsLoss:
      return {"profile-reports-loss", kWarning};
    case Diagnostic::kProfileReportsError:
      return {"profile-reports-error", kWarning};
    case Diagnostic::kClockUnknown:
      return {"clock-unknown", kInfo};
    case Diagnostic::kProgramDied:
      return {"program-died", kWarning};
    case Diagnostic::kRecordingDamaged:
      return {"recording-damaged", kError};
    case Diagnostic::kNotRecorded:
      return {"not-recorded", kWarning};
    case Diagnostic::kFileSkipped:
      return {"file-skipped", kInfo};
    case Diagnostic::kTableSkipped:
      return {"table-skipped", kInfo};
    case Diagnostic::kDatabaseDamaged:
      return {"database-damaged", kError};
  }
  std::unreachable();
}

}  // namespace

std::string_view CodeOf(Diagnostic diagnostic) { return FactsOf(diagnostic).code; }
Severity SeverityOf(Diagnostic diagnostic) { return FactsOf(diagnostic).severity; }

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
    entry.examples.push_back({offset, Verbatim(text)});
  }
}

void Diagnostics::Add(Diagnostic code, uint64_t count, std::optional<uint64_t> offset,
                      Messages what) {
  Entry& entry = At(code);
  entry.count += count;
  if (entry.examples.size() < kMaxExamples) entry.examples.push_back({offset, std::move(what)});
}

void Diagnostics::Say(Diagnostic code, Message sentence, uint64_t count) {
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
