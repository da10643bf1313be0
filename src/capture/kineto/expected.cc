#include "capture/kineto/expected.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {
namespace {

constexpr std::string_view kRestart =
    "start the program with KINETO_USE_DAEMON=1 in its environment, then capture again";

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
  const auto error = [](std::string sentence, std::string_view next) {
    return Error{ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::string(next)};
  };
  const std::string who = target.pid != 0      ? fmt::format("process {}", target.pid)
                          : target.job.empty() ? std::string("this machine")
                                               : fmt::format("job {}", target.job);
  if (target.pid != 0 && wanted.empty()) {
    return error(fmt::format("there is no process {} here", target.pid),
                 "stepscope capture --list shows what can be captured");
  }
  if (target.pid != 0 && !wanted[0].readable) {
    return error(fmt::format("process {} belongs to user {}", target.pid, UserName(wanted[0].uid)),
                 "run stepscope as that user, or as root");
  }
  const auto torch = std::find_if(wanted.begin(), wanted.end(),
                                  [](const ProcessFacts& process) { return process.torch; });
  if (torch != wanted.end()) {
    return error(fmt::format("process {} uses PyTorch, but was started without KINETO_USE_DAEMON",
                             torch->pid),
                 kRestart);
  }
  const auto other = std::find_if(wanted.begin(), wanted.end(), [](const ProcessFacts& process) {
    return process.jax || process.tensorflow;
  });
  if (other != wanted.end()) {
    return error(fmt::format("process {} uses {}, not PyTorch", other->pid,
                             other->jax ? "JAX" : "TensorFlow"),
                 "have it start its profiler server, then capture host:port");
  }
  return error(fmt::format("{}: no process of it uses PyTorch", who), kRestart);
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
