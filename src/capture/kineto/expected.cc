#include "capture/kineto/expected.h"

#include <fmt/format.h>

#include <algorithm>

#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

bool IsOfJob(const ProcessFacts& process, const std::string& job) {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_NAME", "TORCHELASTIC_RUN_ID"}) {
    if (process.variable(name) == job) return true;
  }
  return false;
}

std::vector<ProcessFacts> Wanted(const CaptureTarget& target,
                                 const std::vector<ProcessFacts>& all) {
  if (target.pid != 0) return FamilyOf(all, target.pid);
  std::vector<ProcessFacts> wanted;
  std::copy_if(all.begin(), all.end(), std::back_inserter(wanted),
               [&](const ProcessFacts& p) { return target.job.empty() || IsOfJob(p, target.job); });
  return wanted;
}

Error WhyNone(const CaptureTarget& target, const std::vector<ProcessFacts>& wanted) {
  const auto error = [](Sentences sentence, Sentences next) {
    return Error{ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::move(next)};
  };
  Message who = target.pid != 0      ? Say("capture.process", target.pid)
                : target.job.empty() ? Say("capture.this-machine")
                                     : Say("capture.job", target.job);
  if (target.pid != 0 && wanted.empty()) {
    return error(Say("capture.no-process", target.pid), Say("capture.list-shows"));
  }
  if (target.pid != 0 && !wanted[0].readable) {
    return error(Say("capture.of-user", target.pid, UserName(wanted[0].uid)),
                 Say("capture.run-as-user"));
  }
  const auto torch = std::find_if(wanted.begin(), wanted.end(),
                                  [](const ProcessFacts& process) { return process.torch; });
  if (torch != wanted.end()) {
    return error(Say("capture.without-daemon", torch->pid), Say("capture.restart"));
  }
  const auto other = std::find_if(wanted.begin(), wanted.end(), [](const ProcessFacts& process) {
    return process.jax || process.tensorflow;
  });
  if (other != wanted.end()) {
    return error(Say("capture.not-pytorch", other->pid, other->jax ? "JAX" : "TensorFlow"),
                 Say("capture.have-server"));
  }
  return error(Say("capture.none-uses", who), Say("capture.restart"));
}

}  // namespace

Result<std::vector<ProcessFacts>> ExpectedProcesses(const CaptureTarget& target,
                                                    const std::vector<ProcessFacts>& all) {
  const std::vector<ProcessFacts> wanted = Wanted(target, all);
  std::vector<ProcessFacts> expected;
  for (const ProcessFacts& process : wanted) {
    // torchrun and the shell have the variable, too, but not the library.
    if (process.polls() && process.torch) expected.push_back(process);
  }
  // What belongs to others may poll all the same: then we only see it when it does.
  const bool hidden = std::any_of(wanted.begin(), wanted.end(),
                                  [](const ProcessFacts& process) { return !process.readable; });
  if (expected.empty() && !(hidden && target.pid == 0)) {
    return std::unexpected(WhyNone(target, wanted));
  }
  return expected;
}

}  // namespace stepscope
