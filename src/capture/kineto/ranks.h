#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/kineto/config_text.h"
#include "capture/kineto/daemon.h"
#include "capture/processes/processes.h"
#include "capture/target.h"

namespace stepscope {

// One PyTorch process of a capture, from its first poll on.
struct KinetoRank {
  enum class State : uint8_t {
    kYoung,      // polled once, but has just started: a profile of it would be empty
    kMissed,     // polled, but this machine was too busy to answer in time
    kBusy,       // a profiler of its own runs in it
    kAsked,      // has the config
    kRefused,    // was asked again, and still does nothing
    kCancelled,  // began, and stopped without a file
    kDone,       // its file is here
  };
  State state = State::kYoung;
  int pid = 0;      // ours
  int own_pid = 0;  // in its own namespace: that is in the name of its file
  unsigned uid = 0;
  std::string rank;      // its RANK, or ""
  std::string command;   // or ""
  std::string file;      // where it writes
  int64_t start_ms = 0;  // since 1970; of duration captures
  int busy_polls = 0;    // how often it polled while its profiler was in use, before it was asked
  int asks = 0;          // how often it got the config
  bool began = false;    // a poll after that said that its profiler is in use
  bool skipped = false;  // a poll was left unanswered, so that it is no answer behind
};

// Decides who gets which config. The daemon's thread asks, the capture looks; both at any time, and
// neither waits for the other: a capture that the system has put aside must not hold up an answer.
class KinetoRanks {
 public:
  struct Plan {
    CaptureTarget target;
    KinetoOptions options;
    std::chrono::milliseconds duration{2000};
    std::string id;  // of this capture, in names of files
    // Where all start together: since 1970. 0: each as soon as it can.
    int64_t common_start_ms = 0;
    // Whether the process has written its file. Called on the daemon's thread.
    std::function<bool(const KinetoRank&)> has_file = [](const KinetoRank&) { return false; };
  };
  KinetoRanks(Plan plan, std::vector<ProcessFacts> known)
      : plan_(std::move(plan)), known_(std::move(known)) {}
  ~KinetoRanks();
  KinetoRanks(const KinetoRanks&) = delete;
  KinetoRanks& operator=(const KinetoRanks&) = delete;

  // Both for the daemon's thread. None: leave the poll unanswered.
  std::optional<std::string> OnPoll(const KinetoPoll& poll, const PollingProcess& process);
  // The answer could not be sent: the process may ask again.
  void OnUnsent(const KinetoPoll& poll, const PollingProcess& process);

  // These for the thread of the capture. As it is now, by pid.
  std::vector<KinetoRank> Now();
  // From now on nobody gets a config who has none yet.
  void Close() { closed_ = true; }
  // Its file is here.
  void Done(int pid);

  // Kineto looks for requests once a second and refuses one whose warm-up would be cut.
  static constexpr std::chrono::milliseconds kTick{1300};

 private:
  bool Wanted(const KinetoPoll& poll, const ProcessFacts* facts, int pid) const;
  const ProcessFacts* Find(int pid) const;
  void Meet(KinetoRank& rank, const KinetoPoll& poll, const PollingProcess& process,
            const ProcessFacts* facts) const;
  std::string Ask(KinetoRank& rank) const;
  std::optional<std::string> Follow(KinetoRank& rank, bool idle) const;
  std::optional<std::string> Decide(const KinetoPoll& poll, const PollingProcess& process);
  void TakeDone();
  void Publish();

  const Plan plan_;
  const std::vector<ProcessFacts> known_;
  std::map<int, KinetoRank> ranks_;  // of the daemon's thread
  // From thread to thread without a lock: each side puts its news in place of the news before.
  std::atomic<std::vector<KinetoRank>*> news_ = nullptr;
  std::atomic<std::vector<int>*> done_news_ = nullptr;
  std::vector<KinetoRank> now_;  // of the capture's thread
  std::vector<int> done_;
  std::atomic<bool> closed_ = false;
};

int64_t NowMs();  // since 1970

}  // namespace stepscope
