#include "capture/kineto/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace stepscope {
namespace {

using std::chrono::milliseconds;

// Younger processes have often run no op yet; Kineto then writes a file without any work in it.
constexpr double kGrownUpSeconds = 10;
constexpr int64_t kBeforeWarmUp = 2000;  // ms that Kineto adds where the start is 0
constexpr int64_t kBeginSlack = 300;     // ms by which a warm-up may begin late
constexpr int kMostAsks = 2;

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

void KinetoRanks::Meet(KinetoRank& rank, const KinetoPoll& poll, const PollingProcess& process,
                       const ProcessFacts* facts) const {
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
  rank.file = fmt::format("{}/{}_{}.json", folder, plan_.id, rank.pid);
}

std::string KinetoRanks::Ask(KinetoRank& rank) const {
  const int64_t warm_up = milliseconds(plan_.options.warm_up).count();
  const int64_t soonest = NowMs() + kTick.count() + warm_up;
  // Who is asked again may read the text only at its next poll. 0, as soon as it can, also holds
  // then, but costs 0.7 s more.
  const bool first = rank.asks == 0;
  // Who polls late has missed the common start.
  rank.start_ms =
      first ? std::max(soonest, plan_.common_start_ms) : NowMs() + kBeforeWarmUp + warm_up;
  rank.state = KinetoRank::State::kAsked;
  ++rank.asks;
  return ConfigText({.options = plan_.options,
                     .duration = plan_.duration,
                     .start_ms = first ? rank.start_ms : 0,
                     .file = rank.file,
                     .trace_id = plan_.id});
}

// What a process that has the config makes of it. Its profiler is in use from the warm-up until the
// file is written; as long as it waits for a step it says nothing.
std::optional<std::string> KinetoRanks::Follow(KinetoRank& rank, bool idle) const {
  if (!idle) {
    rank.began = true;
    return "";
  }
  if (plan_.has_file(rank)) return "";
  if (rank.began) {
    rank.state = KinetoRank::State::kCancelled;
    return "";
  }
  const int64_t begins = rank.start_ms - milliseconds(plan_.options.warm_up).count();
  if (NowMs() < begins + kBeginSlack) return "";
  if (!rank.skipped) {
    // If it is one answer behind, it reads the config now, and is no longer behind after this.
    rank.skipped = true;
    // The start of the first request is in the past by now.
    if (rank.asks > 1) {
      rank.start_ms = NowMs() + kBeforeWarmUp + milliseconds(plan_.options.warm_up).count();
    }
    return std::nullopt;
  }
  // A second request for steps is ignored by who still waits for the step.
  if (plan_.options.steps > 0 || rank.asks < kMostAsks) return Ask(rank);
  rank.state = KinetoRank::State::kRefused;
  return "";
}

std::optional<std::string> KinetoRanks::Decide(const KinetoPoll& poll,
                                               const PollingProcess& process) {
  const int pid = process.pid != 0 ? process.pid : poll.pids[0];
  const ProcessFacts* facts = Find(pid);
  if (!Wanted(poll, facts, pid)) return "";
  const auto found = ranks_.find(pid);
  if (found != ranks_.end() && found->second.state == KinetoRank::State::kAsked) {
    return Follow(found->second, poll.idle);
  }
  if (closed_) return "";
  const auto [entry, is_new] = ranks_.try_emplace(pid, KinetoRank{.pid = pid});
  KinetoRank& rank = entry->second;
  if (is_new) {
    Meet(rank, poll, process, facts);
    if (AgeOf(pid) < kGrownUpSeconds) return "";
  }
  if (!poll.idle) {
    rank.state = KinetoRank::State::kBusy;
    ++rank.busy_polls;
    return "";
  }
  return Ask(rank);
}

std::optional<std::string> KinetoRanks::OnPoll(const KinetoPoll& poll,
                                               const PollingProcess& process) {
  TakeDone();
  std::optional<std::string> config = Decide(poll, process);
  Publish();
  return config;
}

void KinetoRanks::OnUnsent(const KinetoPoll& poll, const PollingProcess& process) {
  KinetoRank& rank = ranks_[process.pid != 0 ? process.pid : poll.pids[0]];
  if (rank.asks > 0) --rank.asks;
  // Who had the config once is asked again even after Close().
  if (rank.asks == 0) rank.state = KinetoRank::State::kMissed;
  Publish();
}

void KinetoRanks::Publish() {
  auto news = std::make_unique<std::vector<KinetoRank>>();
  for (const auto& [pid, rank] : ranks_) news->push_back(rank);
  const std::unique_ptr<std::vector<KinetoRank>> unread(news_.exchange(news.release()));
}

std::vector<KinetoRank> KinetoRanks::Now() {
  const std::unique_ptr<std::vector<KinetoRank>> news(news_.exchange(nullptr));
  if (news) now_ = std::move(*news);
  return now_;
}

void KinetoRanks::Done(int pid) {
  done_.push_back(pid);
  const std::unique_ptr<std::vector<int>> unread(done_news_.exchange(new std::vector<int>(done_)));
}

void KinetoRanks::TakeDone() {
  const std::unique_ptr<std::vector<int>> news(done_news_.exchange(nullptr));
  if (!news) return;
  for (const int pid : *news) ranks_[pid].state = KinetoRank::State::kDone;
}

KinetoRanks::~KinetoRanks() {
  delete news_.load();
  delete done_news_.load();
}

}  // namespace stepscope
