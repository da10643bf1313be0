#include "present/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "present/units.h"

namespace stepscope {
namespace {

// What takes the time, as the subject of a sentence.
std::string_view SubjectOf(BoundBy bound) {
  switch (bound) {
    case BoundBy::kInput:
      return "Waiting for input";
    case BoundBy::kLaunch:
      return "Handing the device its work piece by piece";
    case BoundBy::kSync:
      return "Waiting for the device to catch up (synchronisation)";
    case BoundBy::kHost:
      return "Work on the host that keeps the device waiting";
    case BoundBy::kCompute:
      return "Computing";
    case BoundBy::kCommunication:
      return "Communication that nothing hides";
    case BoundBy::kCopy:
      return "Copies that nothing hides";
    case BoundBy::kCompile:
      return "Compilation";
    case BoundBy::kMixed:
    case BoundBy::kUnknown:
      return "";
  }
  std::unreachable();
}

}  // namespace

std::string_view CauseInWords(Cause cause) {
  switch (cause) {
    case Cause::kInput:
      return "waiting for input";
    case Cause::kSync:
      return "synchronisation";
    case Cause::kLaunch:
      return "launching work";
    case Cause::kHostOp:
      return "framework op on the host";
    case Cause::kPython:
      return "Python";
    case Cause::kCompile:
      return "compiling";
    case Cause::kCommunicationWait:
      return "waiting for communication";
    case Cause::kCopyWait:
      return "waiting for a copy";
    case Cause::kProfiler:
      return "the profiler itself";
    case Cause::kBetweenSteps:
      return "between steps";
    case Cause::kUnknown:
      return "unknown";
  }
  std::unreachable();
}

std::string_view BoundInWords(BoundBy bound) {
  switch (bound) {
    case BoundBy::kInput:
      return "input";
    case BoundBy::kLaunch:
      return "kernel launches";
    case BoundBy::kSync:
      return "synchronisation";
    case BoundBy::kHost:
      return "the host";
    case BoundBy::kCompute:
      return "compute";
    case BoundBy::kCommunication:
      return "communication";
    case BoundBy::kCopy:
      return "copies";
    case BoundBy::kCompile:
      return "compilation";
    case BoundBy::kMixed:
      return "several things";
    case BoundBy::kUnknown:
      return "unknown";
  }
  std::unreachable();
}

std::string VerdictSentence(const LinkedTrace& linked, const Report& report) {
  const std::vector<Step>& steps = linked.steps.items;
  const Trace& trace = linked.trace;
  const Verdict& verdict = report.verdict;
  if (verdict.bound_by == BoundBy::kUnknown) {
    return "There is no step with device work to judge by.";
  }
  const bool has_step = verdict.step < steps.size();
  const std::string where =
      has_step ? fmt::format("the median step ({}, {})", steps[verdict.step].name,
                             DeviceIdAt(trace, verdict.device))
               : fmt::format("the profile ({})", DeviceIdAt(trace, verdict.device));
  const double percent = 100 * verdict.share;
  if (verdict.bound_by == BoundBy::kMixed) {
    return fmt::format("No single thing bounds {}: the largest takes {:.1f} %.", where, percent);
  }
  return fmt::format("{} takes {:.1f} % of {}.", SubjectOf(verdict.bound_by), percent, where);
}

std::string QualitySentence(const Diagnostics::Entry& entry) {
  if (!entry.sentence.empty()) return entry.sentence;
  std::string out;
  std::string_view rest = SentenceOf(entry.code);
  while (true) {
    const size_t open = std::min(rest.find('{'), rest.size());
    const size_t close = rest.find('}', open);
    out.append(rest.substr(0, open));
    if (close == std::string_view::npos) return out;
    const std::string_view choice = rest.substr(open + 1, close - open - 1);
    const size_t bar = choice.find('|');
    out += bar == std::string_view::npos ? FormatCount(entry.count)
           : entry.count == 1            ? std::string(choice.substr(0, bar))
                                         : std::string(choice.substr(bar + 1));
    rest.remove_prefix(close + 1);
  }
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

std::string_view InWords(WhyUnused why) {
  switch (why) {
    case WhyUnused::kUsed:
      return "";
    case WhyUnused::kWarmup:
      return "warm-up";
    case WhyUnused::kCut:
      return "cut by the end of the profile";
    case WhyUnused::kNoDeviceWork:
      return "no device work";
    case WhyUnused::kNotSelected:
      return "not selected";
  }
  std::unreachable();
}

}  // namespace stepscope
