#include "capture/kineto/collect_files.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "capture/kineto/collect.h"
#include "capture/processes/processes.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

using std::chrono::milliseconds;

constexpr milliseconds kLookEvery{50};
constexpr milliseconds kWriteWithin{120'000};  // after the end of the capture
constexpr milliseconds kStepsWithin{600'000};

struct Awaited {
  KinetoRank rank;
  RankFile file;
  int looks_after_end = 0;
};

class FileCollector {
 public:
  FileCollector(const CollectPlan& plan, KinetoRanks* live, Captured& into)
      : plan_(plan), live_(live), captured_(into), begun_ms_(NowMs()), end_ms_(begun_ms_) {}

  void Run(const std::vector<KinetoRank>& ranks) {
    for (const KinetoRank& rank : ranks) {
      if (rank.asks > 0) awaited_.push_back({rank, RankFile(rank, plan_.options.memory)});
    }
    all_ = awaited_.size();
    while (!awaited_.empty() && !plan_.request.stop.stop_requested()) {
      Refresh();
      const milliseconds within = plan_.options.steps > 0 ? kStepsWithin : kWriteWithin;
      if (NowMs() > end_ms_ + within.count()) break;
      Tell();
      std::erase_if(awaited_, [&](Awaited& one) { return IsOver(one); });
      if (!awaited_.empty()) std::this_thread::sleep_for(kLookEvery);
    }
    for (const Awaited& one : awaited_) {
      AddFailure(Say("capture.none-came", NameOfRank(one.rank)),
                 Say("capture.may-come", one.file.expected()));
    }
  }

 private:
  void AddFailure(Sentences sentence, Sentences next) {
    captured_.failures.push_back(
        {ErrorCode::kCannotRead, std::move(sentence), {}, {}, std::move(next)});
  }

  int64_t EndOf(const KinetoRank& rank) const {
    return plan_.options.steps > 0 ? begun_ms_ : rank.start_ms + plan_.request.duration.count();
  }

  // What became of the processes since they were asked.
  void Refresh() {
    const std::vector<KinetoRank> now = live_ != nullptr ? live_->Now() : std::vector<KinetoRank>();
    for (Awaited& one : awaited_) {
      const auto found = std::find_if(
          now.begin(), now.end(), [&](const KinetoRank& rank) { return rank.pid == one.rank.pid; });
      if (found != now.end()) one.rank = *found;
      end_ms_ = std::max(end_ms_, EndOf(one.rank));
      start_ms_ = std::max(start_ms_, one.rank.start_ms);
    }
  }

  // Whether nothing more is to be expected of it.
  bool IsOver(Awaited& one) {
    // Asked before looking: what it wrote last is there then.
    const bool alive = IsAlive(one.rank.pid);
    if (const std::optional<std::string> path = one.file.Look()) {
      Take(*path, one.rank);
      return true;
    }
    // A file that rests is whole at the second look.
    constexpr int kLastLooks = 2;
    if (!alive && ++one.looks_after_end <= kLastLooks) return false;
    if (alive && one.file.Exists()) return false;  // still being written
    if (!alive) {
      AddFailure(Say("capture.ended-before", NameOfRank(one.rank)), Say("capture.check-log-again"));
    } else if (one.rank.state == KinetoRank::State::kRefused) {
      AddFailure(Say("capture.refused", NameOfRank(one.rank)), Say("capture.kineto-log"));
    } else if (one.rank.state == KinetoRank::State::kCancelled) {
      AddFailure(Say("capture.cancelled", NameOfRank(one.rank)), Say("capture.shorter-alone"));
    } else {
      return false;
    }
    return true;
  }

  void Take(const std::string& path, const KinetoRank& rank) {
    Result<CapturedFile> file = TakeFile(path, rank, plan_.options.memory, plan_.request.directory);
    if (file) {
      captured_.files.push_back(std::move(*file));
    } else {
      file.error().next_step = Say("capture.still-there", path);
      captured_.failures.push_back(std::move(file.error()));
    }
    if (live_ == nullptr) return;
    TellLateStart(rank);
    live_->Done(rank.pid);
  }

  void TellLateStart(const KinetoRank& rank) {
    constexpr int64_t kSame = 200;
    const int64_t late = rank.start_ms - plan_.common_start_ms;
    if (plan_.options.steps > 0 || plan_.common_start_ms == 0 || late < kSame) return;
    captured_.remarks.emplace_back(
        Say("capture.began-late", NameOfRank(rank), static_cast<double>(late) / 1e3));
  }

  void Tell() const {
    const auto until = [](int64_t ms) {
      return std::max(0.0, static_cast<double>(ms - NowMs()) / 1e3);
    };
    CaptureMoment moment{.what = Say("capture.of-processes", awaited_.size(), all_)};
    const int64_t now = NowMs();
    if (plan_.options.steps > 0) {
      moment.phase = CapturePhase::kCollecting;
    } else if (now < start_ms_) {
      moment.phase = CapturePhase::kWarmUp;
      moment.seconds_left = until(start_ms_);
    } else if (now < end_ms_) {
      moment.phase = CapturePhase::kCollecting;
      moment.seconds_left = until(end_ms_);
    } else {
      moment.phase = CapturePhase::kWriting;
    }
    plan_.request.on_moment(moment);
  }

  const CollectPlan& plan_;
  KinetoRanks* const live_;
  Captured& captured_;
  const int64_t begun_ms_;  // when all had been asked
  int64_t start_ms_ = 0, end_ms_;
  std::vector<Awaited> awaited_;
  size_t all_ = 0;
};

}  // namespace

void CollectFiles(const std::vector<KinetoRank>& ranks, const CollectPlan& plan, KinetoRanks* live,
                  Captured& into) {
  FileCollector(plan, live, into).Run(ranks);
}

}  // namespace stepscope
