#include "capture/kineto/ranks.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {
namespace {

// Younger processes have often run no op yet; Kineto then writes a file without any work in it.
constexpr double kGrownUpSeconds = 10;

}  // namespace

int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const ProcessFacts* KinetoRanks::Find(int pid) const {
  const auto found =
      std::lower_bound(known_.begin(), known_.end(), pid,
                       [](const ProcessFacts& process, int id) { return process.pid < id; });
  return found != known_.end() && found->pid == pid ? &*found : nullptr;
}

bool KinetoRanks::Wanted(const KinetoPoll& poll, const ProcessFacts* facts, int pid) const {
  const CaptureTarget& target = plan_.target;
  if (target.pid != 0) {
    if (std::find(poll.pids.begin(), poll.pids.end(), target.pid) != poll.pids.end()) return true;
    // In a container the poll has other numbers; ours lead to the same parents.
    for (int at = pid, steps = 0; at > 0 && steps < 64; ++steps) {
      if (at == target.pid) return true;
      const ProcessFacts* process = Find(at);
      at = process != nullptr ? process->parent : 0;
    }
    return false;
  }
  if (target.job.empty()) return true;
  if (fmt::format("{}", poll.job) == target.job) return true;
  if (facts == nullptr) return false;
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_NAME", "TORCHELASTIC_RUN_ID"}) {
    if (facts->variable(name) == target.job) return true;
  }
  return false;
}

KinetoConfig KinetoRanks::ConfigFor(const KinetoRank& rank) const {
  // 0, as soon as it can, also holds when Kineto reads the text only at its next poll.
  return {.options = plan_.options,
          .duration = plan_.duration,
          .start_ms = plan_.common_start_ms != 0 ? rank.start_ms : 0,
          .file = rank.file,
          .trace_id = plan_.id};
}

std::string KinetoRanks::OnPoll(const KinetoPoll& poll, const PollingProcess& process) {
  const int pid = process.pid != 0 ? process.pid : poll.pids[0];
  const ProcessFacts* facts = Find(pid);
  if (!Wanted(poll, facts, pid)) return {};
  const std::scoped_lock lock(mutex_);
  if (closed_) return {};
  const auto [entry, is_new] = ranks_.try_emplace(pid);
  KinetoRank& rank = entry->second;
  if (rank.state == KinetoRank::State::kAsked) return {};
  if (is_new) {
    rank.pid = pid;
    rank.own_pid = poll.pids[0];
    rank.uid = process.uid;
    std::string folder = "/tmp";
    if (facts != nullptr) {
      rank.rank = facts->variable("RANK");
      rank.command = facts->command;
      if (const std::string other = facts->variable("KINETO_ONDEMAND_TRACE_DIR"); !other.empty()) {
        folder = other;
      }
    }
    rank.file = fmt::format("{}/{}_{}.json", folder, plan_.id, pid);
    if (AgeOf(pid) < kGrownUpSeconds) return {};
  }
  if (!poll.idle) {
    rank.state = KinetoRank::State::kBusy;
    return {};
  }
  const int64_t warm_up =
      std::chrono::duration_cast<std::chrono::milliseconds>(plan_.options.warm_up).count();
  const int64_t soonest = NowMs() + kTick.count() + warm_up;
  constexpr int64_t kBeforeWarmUp = 2000;  // what Kineto adds by itself
  rank.start_ms =
      plan_.common_start_ms != 0 ? plan_.common_start_ms : NowMs() + kBeforeWarmUp + warm_up;
  if (plan_.options.steps == 0 && rank.start_ms < soonest) {
    rank.state = KinetoRank::State::kLate;
    return {};
  }
  rank.state = KinetoRank::State::kAsked;
  return ConfigText(ConfigFor(rank));
}

void KinetoRanks::Close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

void KinetoRanks::OnUnsent(const KinetoPoll& poll, const PollingProcess& process) {
  const std::scoped_lock lock(mutex_);
  ranks_[process.pid != 0 ? process.pid : poll.pids[0]].state = KinetoRank::State::kYoung;
}

std::vector<KinetoRank> KinetoRanks::Now() const {
  const std::scoped_lock lock(mutex_);
  std::vector<KinetoRank> out;
  for (const auto& [pid, rank] : ranks_) out.push_back(rank);
  return out;
}

}  // namespace stepscope
