#include "present/words.h"

#include <string>
#include <utility>

#include "words/report.h"
#include "words/text.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReportTexts> Say;

// What takes the time, as the subject of a sentence.
Message SubjectOf(BoundBy bound) {
  switch (bound) {
    case BoundBy::kInput:
      return Say("verdict.input");
    case BoundBy::kLaunch:
      return Say("verdict.launch");
    case BoundBy::kSync:
      return Say("verdict.sync");
    case BoundBy::kHost:
      return Say("verdict.host");
    case BoundBy::kCompute:
      return Say("verdict.compute");
    case BoundBy::kCommunication:
      return Say("verdict.communication");
    case BoundBy::kCopy:
      return Say("verdict.copy");
    case BoundBy::kCompile:
      return Say("verdict.compile");
    case BoundBy::kMixed:
    case BoundBy::kUnknown:
      return {};
  }
  std::unreachable();
}

}  // namespace

Message CauseInWords(Cause cause) {
  switch (cause) {
    case Cause::kInput:
      return Say("cause.input");
    case Cause::kSync:
      return Say("cause.sync");
    case Cause::kLaunch:
      return Say("cause.launch");
    case Cause::kHostOp:
      return Say("cause.host-op");
    case Cause::kPython:
      return Say("cause.python");
    case Cause::kCompile:
      return Say("cause.compile");
    case Cause::kCommunicationWait:
      return Say("cause.communication");
    case Cause::kCopyWait:
      return Say("cause.copy");
    case Cause::kProfiler:
      return Say("cause.profiler");
    case Cause::kBetweenSteps:
      return Say("cause.between");
    case Cause::kUnknown:
      return Say("cause.unknown");
  }
  std::unreachable();
}

Message CauseInWords(Cause cause, const Steps& steps) {
  const bool executor = cause == Cause::kUnknown && steps.source == StepSource::kSessionRun;
  return executor ? Say("cause.executor") : CauseInWords(cause);
}

Message BoundInWords(BoundBy bound) {
  switch (bound) {
    case BoundBy::kInput:
      return Say("bound.input");
    case BoundBy::kLaunch:
      return Say("bound.launch");
    case BoundBy::kSync:
      return Say("bound.sync");
    case BoundBy::kHost:
      return Say("bound.host");
    case BoundBy::kCompute:
      return Say("bound.compute");
    case BoundBy::kCommunication:
      return Say("bound.communication");
    case BoundBy::kCopy:
      return Say("bound.copy");
    case BoundBy::kCompile:
      return Say("bound.compile");
    case BoundBy::kMixed:
      return Say("bound.mixed");
    case BoundBy::kUnknown:
      return Say("bound.unknown");
  }
  std::unreachable();
}

Message VerdictSentence(const LinkedTrace& linked, const Report& report) {
  const std::vector<Step>& steps = linked.steps.items;
  const Trace& trace = linked.trace;
  const Verdict& verdict = report.verdict;
  if (verdict.bound_by == BoundBy::kUnknown) return Say("verdict.none");
  const bool has_step = verdict.step < steps.size();
  Message where =
      has_step ? Say("verdict.step", steps[verdict.step].name, DeviceIdAt(trace, verdict.device))
               : Say("verdict.profile", DeviceIdAt(trace, verdict.device));
  const double percent = 100 * verdict.share;
  if (verdict.bound_by == BoundBy::kMixed) return Say("verdict.mixed", std::move(where), percent);
  return Say("verdict.takes", SubjectOf(verdict.bound_by), percent, std::move(where));
}

Message QualitySentence(const Diagnostics::Entry& entry) {
  if (!entry.sentence.empty()) return entry.sentence;
  const Text* text = FindText(std::string("quality.").append(CodeOf(entry.code)));
  if (ArgumentCount(*text) == 0) return {text, {}};
  return {text, {static_cast<int64_t>(entry.count)}};
}

std::string_view NameOf(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  std::unreachable();
}

Message InWords(WhyUnused why) {
  switch (why) {
    case WhyUnused::kUsed:
      return {};
    case WhyUnused::kWarmup:
      return Say("unused.warmup");
    case WhyUnused::kCut:
      return Say("unused.cut");
    case WhyUnused::kNoDeviceWork:
      return Say("unused.no-device-work");
    case WhyUnused::kNotSelected:
      return Say("unused.not-selected");
  }
  std::unreachable();
}

}  // namespace stepscope
