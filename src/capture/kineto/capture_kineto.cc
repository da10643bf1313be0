#include "capture/kineto/capture_kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "capture/kineto/collect.h"
#include "capture/kineto/collect_files.h"
#include "capture/kineto/daemon.h"
#include "capture/kineto/dynolog.h"
#include "capture/kineto/expected.h"
#include "capture/kineto/ranks.h"
#include "capture/processes/processes.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
constexpr milliseconds kPollEvery{5000};
constexpr int kBusyPolls = 2;
constexpr milliseconds kPollSlack{1500};  // a busy machine polls late

std::string NewId() {
  std::random_device device;
  return fmt::format("stepscope_{:08x}", device());
}

// Kineto looks for requests once a second and begins up to a second early. That second is part of
// the warm-up that the user asked for: only what is left of it is waited for besides.
KinetoOptions WithTickInWarmUp(KinetoOptions options) {
  constexpr std::chrono::seconds kLooksEvery{1};
  options.warm_up = std::max(options.warm_up, kLooksEvery) - kLooksEvery;
  return options;
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
      : options_(WithTickInWarmUp(options)),
        request_(request),
        all_(ReadProcesses()),
        target_(target) {}

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

  void WaitForPolls(KinetoRanks& ranks) {
    bool again = false;  // one whose next poll is worth the wait
    while (NowMs() < polls_until_ms_ + (again ? kPollEvery.count() : 0) &&
           !request_.stop.stop_requested()) {
      size_t asked = 0;
      bool settled = true;
      const std::vector<KinetoRank> now = ranks.Now();
      for (const KinetoRank& rank : now) {
        asked += rank.asks > 0 ? 1 : 0;
        // A profiler that is in use may only be writing what the last capture took.
        const bool unsettled =
            rank.state == KinetoRank::State::kMissed ||
            (rank.state == KinetoRank::State::kBusy && rank.busy_polls < kBusyPolls);
        again = again || unsettled;
        settled = settled && !unsettled && rank.state != KinetoRank::State::kYoung;
      }
      if (settled && !expected_.empty() && now.size() >= expected_.size() && AllSeen(now)) return;
      request_.on_moment({.phase = CapturePhase::kPoll,
                          .seconds_left = SecondsUntil(polls_until_ms_),
                          .what = Say("capture.of-processes", now.size() - asked + Unseen(now),
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

  void AddFailure(Sentences sentence, Sentences next) {
    captured_.failures.push_back(
        {ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::move(next)});
  }

  void TellWhoIsMissing() {
    if (request_.stop.stop_requested()) return;
    for (const ProcessFacts& process : expected_) {
      if (Has(ranks_, process.pid)) continue;
      if (!IsAlive(process.pid)) {
        AddFailure(Say("capture.process-ended", process.pid), Say("capture.check-log"));
      } else if (process.other_network && process.variable("KINETO_IPC_SOCKET_DIR").empty()) {
        AddFailure(Say("capture.own-network", process.pid), Say("capture.share-directory"));
      } else {
        AddFailure(
            Say("capture.did-not-ask", process.pid, (kPollEvery + kPollSlack).count() / 1000),
            Say("capture.needs-newer"));
      }
    }
    for (const KinetoRank& rank : ranks_) {
      if (rank.state == KinetoRank::State::kBusy) {
        AddFailure(Say("capture.profiler-in-use", NameOfRank(rank)), Say("capture.wait-own"));
      } else if (rank.state == KinetoRank::State::kYoung) {
        AddFailure(Say("capture.just-started", NameOfRank(rank)), Say("capture.when-steps"));
      } else if (rank.state == KinetoRank::State::kMissed) {
        AddFailure(Say("capture.too-busy", NameOfRank(rank)), Say("capture.less-busy"));
      }
    }
  }

  void Collect(KinetoRanks* live) {
    CollectFiles(
        ranks_,
        {.options = options_, .request = request_, .common_start_ms = plan_.common_start_ms}, live,
        captured_);
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
    captured_.remarks.emplace_back(Say("capture.dynolog"));
    Collect(nullptr);
    return Outcome();
  }

  Result<Captured> Outcome() {
    if (!captured_.files.empty()) return std::move(captured_);
    if (request_.stop.stop_requested() && captured_.failures.empty()) {
      return Fail(ErrorCode::kInterrupted, Say("capture.interrupted-asking"));
    }
    if (!captured_.failures.empty()) return std::unexpected(captured_.failures[0]);
    return Fail(ErrorCode::kCannotRead, Say("capture.nobody-asked"), {},
                Say("capture.start-daemon"));
  }

  const KinetoOptions options_;
  const CaptureRequest& request_;
  const std::vector<ProcessFacts> all_;
  const CaptureTarget target_;
  std::vector<ProcessFacts> expected_;
  KinetoRanks::Plan plan_;
  int64_t polls_until_ms_ = 0;
  std::vector<KinetoRank> ranks_;
  Captured captured_;
};

}  // namespace

Result<Captured> CaptureFromPyTorch(const CaptureTarget& target, const KinetoOptions& options,
                                    const CaptureRequest& request) {
  return PyTorchCapture(target, options, request).Run();
}

}  // namespace stepscope
