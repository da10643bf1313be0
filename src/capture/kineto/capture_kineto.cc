#include "capture/kineto/capture_kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "capture/kineto/collect.h"
#include "capture/kineto/daemon.h"
#include "capture/kineto/dynolog.h"
#include "capture/kineto/expected.h"
#include "capture/kineto/ranks.h"
#include "capture/processes/processes.h"

namespace stepscope {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
constexpr milliseconds kPollEvery{5000};
constexpr milliseconds kPollSlack{1500};       // a busy machine polls late
constexpr milliseconds kWriteWithin{120'000};  // after the end of the capture
constexpr milliseconds kStepsWithin{600'000};

std::string NewId() {
  std::random_device device;
  return fmt::format("stepscope_{:08x}", device());
}

double SecondsUntil(int64_t ms) { return std::max(0.0, static_cast<double>(ms - NowMs()) / 1e3); }

// Abstract, and in each directory that the processes or we are told to use.
std::vector<UnixAddress> Addresses(const std::vector<ProcessFacts>& expected) {
  std::set<std::string> directories;
  for (const ProcessFacts& process : expected) {
    directories.insert(process.variable("KINETO_IPC_SOCKET_DIR"));
  }
  const char* own = std::getenv("KINETO_IPC_SOCKET_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (own != nullptr) directories.insert(own);
  if (directories.empty()) directories.insert("");
  std::vector<UnixAddress> addresses;
  for (const std::string& directory : directories) addresses.push_back(DaemonAddress(directory));
  return addresses;
}

class PyTorchCapture {
 public:
  PyTorchCapture(const CaptureTarget& target, const KinetoOptions& options,
                 const CaptureRequest& request)
      : options_(options), request_(request), all_(ReadProcesses()), target_(target) {}

  Result<Captured> Run() {
    Result<std::vector<ProcessFacts>> expected = ExpectedProcesses(target_, all_);
    if (!expected) return std::unexpected(expected.error());
    expected_ = std::move(*expected);
    Plan();
    const std::vector<UnixAddress> addresses = Addresses(expected_);
    if (DaemonListens(addresses[0]) && DynologAnswers()) return ThroughDynolog();
    KinetoRanks ranks(plan_, all_);
    const auto daemon = KinetoDaemon::Start(
        addresses,
        {.on_poll = [&ranks](const KinetoPoll& poll,
                             const PollingProcess& process) { return ranks.OnPoll(poll, process); },
         .on_unsent = [&ranks](const KinetoPoll& poll,
                               const PollingProcess& process) { ranks.OnUnsent(poll, process); }});
    if (!daemon) return std::unexpected(daemon.error());
    WaitForPolls(ranks);
    ranks.Close();
    ranks_ = ranks.Now();
    TellWhoIsMissing();
    Collect(&ranks);
    return Outcome();
  }

 private:
  // All that are here shall start at one moment, so that their profiles can be laid side by side.
  void Plan() {
    const bool young = std::any_of(expected_.begin(), expected_.end(),
                                   [](const ProcessFacts& p) { return p.age_s < 10; });
    polls_until_ms_ =
        NowMs() + (kPollEvery + kPollSlack + (young ? kPollEvery : milliseconds(0))).count();
    plan_ = {.target = target_,
             .options = options_,
             .duration = request_.duration,
             .id = NewId(),
             .has_file = [this](const KinetoRank& rank) {
               return RankFile(rank, options_.memory).Exists();
             }};
    if (expected_.size() != 1) {
      plan_.common_start_ms =
          polls_until_ms_ - kPollSlack.count() +
          (KinetoRanks::kTick + milliseconds(200) + milliseconds(options_.warm_up)).count();
    }
  }

  void WaitForPolls(const KinetoRanks& ranks) {
    while (NowMs() < polls_until_ms_ && !request_.stop.stop_requested()) {
      size_t asked = 0;
      bool settled = true;
      const std::vector<KinetoRank> now = ranks.Now();
      for (const KinetoRank& rank : now) {
        asked += rank.asks > 0 ? 1 : 0;
        settled = settled && rank.state != KinetoRank::State::kYoung;
      }
      if (settled && !expected_.empty() && now.size() >= expected_.size() && AllSeen(now)) return;
      request_.on_moment(
          {.phase = CapturePhase::kPoll,
           .seconds_left = SecondsUntil(polls_until_ms_),
           .what = fmt::format("{} of {} processes", now.size() - asked + Unseen(now),
                               std::max(expected_.size(), now.size()))});
      std::this_thread::sleep_for(kTick);
    }
  }

  static bool Has(const std::vector<KinetoRank>& ranks, int pid) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [&](const KinetoRank& rank) { return rank.pid == pid; });
  }
  size_t Unseen(const std::vector<KinetoRank>& ranks) const {
    return static_cast<size_t>(
        std::count_if(expected_.begin(), expected_.end(), [&](const ProcessFacts& process) {
          return !Has(ranks, process.pid) && IsAlive(process.pid);
        }));
  }
  bool AllSeen(const std::vector<KinetoRank>& ranks) const { return Unseen(ranks) == 0; }

  void AddFailure(std::string sentence, std::string next) {
    captured_.failures.push_back(
        {ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::move(next)});
  }

  void TellWhoIsMissing() {
    if (request_.stop.stop_requested()) return;
    for (const ProcessFacts& process : expected_) {
      if (Has(ranks_, process.pid)) continue;
      if (!IsAlive(process.pid)) {
        AddFailure(fmt::format("process {} ended", process.pid), "check its log");
      } else if (process.other_network && process.variable("KINETO_IPC_SOCKET_DIR").empty()) {
        AddFailure(
            fmt::format("process {} lives in a container with a network of its own", process.pid),
            "give both programs one directory: KINETO_IPC_SOCKET_DIR=/shared/dir");
      } else {
        AddFailure(fmt::format("process {} did not ask for work in {} s", process.pid,
                               (kPollEvery + kPollSlack).count() / 1000),
                   "check that it has run an op, and that its PyTorch is 2.7 or newer; 2.3 to 2.6 "
                   "also need KINETO_DAEMON_INIT_DELAY_S=3");
      }
    }
    for (const KinetoRank& rank : ranks_) {
      if (rank.state == KinetoRank::State::kBusy) {
        AddFailure(fmt::format("{}: its profiler is in use", NameOfRank(rank)),
                   "wait until the program's own profile ends");
      } else if (rank.state == KinetoRank::State::kYoung) {
        AddFailure(fmt::format("{}: it has only just started", NameOfRank(rank)),
                   "capture again when it runs its steps");
      }
    }
  }

  int64_t EndOf(const KinetoRank& rank) const {
    return options_.steps > 0 ? begun_ms_ : rank.start_ms + request_.duration.count();
  }

  struct Awaited {
    KinetoRank rank;
    RankFile file;
    int looks_after_end = 0;
  };

  // What became of the processes since they were asked; `live` is none where dynolog asked them.
  void Refresh(std::vector<Awaited>& awaited, const KinetoRanks* live) {
    if (live == nullptr) return;
    const std::vector<KinetoRank> now = live->Now();
    for (Awaited& one : awaited) {
      const auto found = std::find_if(
          now.begin(), now.end(), [&](const KinetoRank& rank) { return rank.pid == one.rank.pid; });
      if (found != now.end()) one.rank = *found;
    }
  }

  // Whether nothing more is to be expected of it.
  bool IsOver(Awaited& one, KinetoRanks* live) {
    // Asked before looking: what it wrote last is there then.
    const bool alive = IsAlive(one.rank.pid);
    if (const std::optional<std::string> path = one.file.Look()) {
      Take(*path, one.rank);
      if (live != nullptr) {
        TellLateStart(one.rank);
        live->Done(one.rank.pid);
      }
      return true;
    }
    // A file that rests is whole at the second look.
    constexpr int kLastLooks = 2;
    if (!alive && ++one.looks_after_end <= kLastLooks) return false;
    if (alive && one.file.Exists()) return false;  // still being written
    if (!alive) {
      AddFailure(fmt::format("{} ended before its profile was written", NameOfRank(one.rank)),
                 "check its log, then capture again");
    } else if (one.rank.state == KinetoRank::State::kRefused) {
      AddFailure(
          fmt::format("{} was asked twice and did not start its profiler", NameOfRank(one.rank)),
          "start the program with KINETO_LOG_LEVEL=0: it then prints why it refuses");
    } else if (one.rank.state == KinetoRank::State::kCancelled) {
      AddFailure(
          fmt::format("{} started its profiler and ended it without a file", NameOfRank(one.rank)),
          "a profile of the program's own ends ours, as do full buffers: capture for a "
          "shorter time, when the program takes none itself");
    } else {
      return false;
    }
    return true;
  }

  void Collect(KinetoRanks* live) {
    std::vector<Awaited> awaited;
    for (const KinetoRank& rank : ranks_) {
      if (rank.asks == 0) continue;
      awaited.push_back({rank, RankFile(rank, options_.memory)});
    }
    const size_t all = awaited.size();
    begun_ms_ = NowMs();
    int64_t end_ms = begun_ms_, start_ms = 0;
    while (!awaited.empty() && !request_.stop.stop_requested()) {
      Refresh(awaited, live);
      for (const Awaited& one : awaited) {
        end_ms = std::max(end_ms, EndOf(one.rank));
        start_ms = std::max(start_ms, one.rank.start_ms);
      }
      if (NowMs() > end_ms + (options_.steps > 0 ? kStepsWithin : kWriteWithin).count()) break;
      Tell(awaited.size(), all, start_ms, end_ms);
      std::erase_if(awaited, [&](Awaited& one) { return IsOver(one, live); });
      if (!awaited.empty()) std::this_thread::sleep_for(kTick);
    }
    for (const Awaited& one : awaited) {
      AddFailure(fmt::format("{}: no profile came", NameOfRank(one.rank)),
                 fmt::format("it may still be written, to {}", one.file.expected()));
    }
  }

  void TellLateStart(const KinetoRank& rank) {
    constexpr int64_t kSame = 200;
    const int64_t late = rank.start_ms - plan_.common_start_ms;
    if (options_.steps > 0 || plan_.common_start_ms == 0 || late < kSame) return;
    captured_.remarks.push_back(fmt::format("{} began {:.1f} s after the others", NameOfRank(rank),
                                            static_cast<double>(late) / 1e3));
  }

  void Take(const std::string& path, const KinetoRank& rank) {
    Result<CapturedFile> file = TakeFile(path, rank, options_.memory, request_.directory);
    if (file) {
      captured_.files.push_back(std::move(*file));
    } else {
      Error error = file.error();
      error.next_step = fmt::format("the profile is still there: {}", path);
      captured_.failures.push_back(std::move(error));
    }
  }

  void Tell(size_t left, size_t all, int64_t start_ms, int64_t end_ms) const {
    CaptureMoment moment{.what = fmt::format("{} of {} processes", left, all)};
    const int64_t now = NowMs();
    if (options_.steps > 0) {
      moment.phase = CapturePhase::kCollecting;
    } else if (now < start_ms) {
      moment.phase = CapturePhase::kWarmUp;
      moment.seconds_left = SecondsUntil(start_ms);
    } else if (now < end_ms) {
      moment.phase = CapturePhase::kCollecting;
      moment.seconds_left = SecondsUntil(end_ms);
    } else {
      moment.phase = CapturePhase::kWriting;
    }
    request_.on_moment(moment);
  }

  Result<Captured> ThroughDynolog() {
    std::vector<int> pids;
    for (const ProcessFacts& process : expected_) pids.push_back(process.pid);
    KinetoRank all{
        .state = KinetoRank::State::kAsked,
        .file = fmt::format("/tmp/{}.json", plan_.id),
        .start_ms = polls_until_ms_ + (KinetoRanks::kTick + milliseconds(options_.warm_up)).count(),
        .asks = 1};
    const Result<std::vector<int>> triggered = AskDynolog(ConfigText({.options = options_,
                                                                      .duration = request_.duration,
                                                                      .start_ms = all.start_ms,
                                                                      .file = all.file,
                                                                      .trace_id = plan_.id}),
                                                          pids, 0);
    if (!triggered) return std::unexpected(triggered.error());
    for (const int pid : *triggered) {
      KinetoRank rank = all;
      rank.pid = rank.own_pid = pid;
      ranks_.push_back(std::move(rank));
    }
    captured_.remarks.emplace_back("dynolog runs here, so it was asked to start the profile");
    Collect(nullptr);
    return Outcome();
  }

  Result<Captured> Outcome() {
    if (!captured_.files.empty()) return std::move(captured_);
    if (request_.stop.stop_requested() && captured_.failures.empty()) {
      return Fail(ErrorCode::kInterrupted, "interrupted before a process was asked");
    }
    if (!captured_.failures.empty()) return std::unexpected(captured_.failures[0]);
    return Fail(ErrorCode::kCannotRead, "no PyTorch process asked for work", {},
                "start the program with KINETO_USE_DAEMON=1 in its environment; stepscope capture "
                "--list shows what is here");
  }

  const KinetoOptions options_;
  const CaptureRequest& request_;
  const std::vector<ProcessFacts> all_;
  const CaptureTarget target_;
  std::vector<ProcessFacts> expected_;
  KinetoRanks::Plan plan_;
  int64_t polls_until_ms_ = 0;
  int64_t begun_ms_ = 0;  // when all had been asked
  std::vector<KinetoRank> ranks_;
  Captured captured_;
};

}  // namespace

Result<Captured> CaptureFromPyTorch(const CaptureTarget& target, const KinetoOptions& options,
                                    const CaptureRequest& request) {
  return PyTorchCapture(target, options, request).Run();
}

}  // namespace stepscope
