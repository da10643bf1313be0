#pragma once

#include <chrono>
#include <map>
#include <mutex>
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
    kYoung,  // polled once, but has just started: a profile of it would be empty
    kBusy,   // a profiler of its own runs in it
    kLate,   // polled when the common start was too near
    kAsked,  // has the config
  };
  State state = State::kYoung;
  int pid = 0;      // ours
  int own_pid = 0;  // in its own namespace: that is in the name of its file
  unsigned uid = 0;
  std::string rank;      // its RANK, or ""
  std::string command;   // or ""
  std::string file;      // where it writes
  int64_t start_ms = 0;  // since 1970; of duration captures
};

// Decides who gets which config. The daemon's thread asks, the capture looks; both at any time.
class KinetoRanks {
 public:
  struct Plan {
    CaptureTarget target;
    KinetoOptions options;
    std::chrono::milliseconds duration{2000};
    std::string id;  // of this capture, in names of files
    // Where all start together: since 1970. 0: each as soon as it can.
    int64_t common_start_ms = 0;
  };
  KinetoRanks(Plan plan, std::vector<ProcessFacts> known)
      : plan_(std::move(plan)), known_(std::move(known)) {}

  std::string OnPoll(const KinetoPoll& poll, const PollingProcess& process);
  // The answer could not be sent: the process may ask again.
  void OnUnsent(const KinetoPoll& poll, const PollingProcess& process);
  // As it is now, by pid.
  std::vector<KinetoRank> Now() const;
  // From now on nobody gets a config.
  void Close();

  // Kineto looks for requests once a second and refuses one whose warm-up would be cut.
  static constexpr std::chrono::milliseconds kTick{1300};

 private:
  bool Wanted(const KinetoPoll& poll, const ProcessFacts* facts, int pid) const;
  const ProcessFacts* Find(int pid) const;
  KinetoConfig ConfigFor(const KinetoRank& rank) const;

  const Plan plan_;
  const std::vector<ProcessFacts> known_;
  mutable std::mutex mutex_;
  std::map<int, KinetoRank> ranks_;
  bool closed_ = false;
};

int64_t NowMs();  // since 1970

}  // namespace stepscope
