#include "tools/memory/memory_summary.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "words/snapshot.h"

namespace stepscope {
namespace {

using Action = MemorySnapshot::Action;
using Event = MemorySnapshot::Event;

constexpr SayFrom<kSnapshotTexts> Say;
const std::string kBefore = InEnglish(Say("snapshot.before"));
const std::string kBeforeSteps = InEnglish(Say("snapshot.before-steps"));
const std::string kNoStack = InEnglish(Say("snapshot.no-stack"));

struct Held {
  int64_t bytes = 0;
  int64_t blocks = 0;

  void Add(int64_t size) {
    bytes += size;
    ++blocks;
  }
};
using HeldBySite = std::map<std::string, Held>;

std::vector<SiteBytes> Sorted(const HeldBySite& held) {
  std::vector<SiteBytes> sites;
  for (const auto& [site, of] : held) sites.push_back({site, of.bytes, of.blocks});
  std::ranges::stable_sort(sites, [](const SiteBytes& a, const SiteBytes& b) {
    return std::abs(a.bytes) > std::abs(b.bytes);
  });
  return sites;
}

// Annotations that begin steps, the best kind that there is: PyTorch's steps, else those of the
// optimizer, else what comes most often.
class StepMarks {
 public:
  StepMarks(const MemorySnapshot& snapshot, int64_t device) : snapshot_(snapshot) {
    for (const std::string_view kind : {"ProfilerStep#", "Optimizer.step#"}) {
      name_ = kind;
      Gather(device, [&](const MemorySnapshot::Mark& mark) {
        return snapshot.strings[mark.name].starts_with(kind);
      });
      if (times_.size() > 1) break;
    }
    if (times_.size() < 2) {
      const StringId most = MostOften(device);
      name_ = snapshot.strings[most];
      Gather(device, [&](const MemorySnapshot::Mark& mark) { return mark.name == most; });
    } else if (name_.starts_with("Optimizer")) {
      name_ = FirstName(device, name_);
    }
  }

  const std::vector<int64_t>& times() const { return times_; }
  std::string_view name() const { return name_; }
  // How many have begun at this time.
  size_t Begun(int64_t time_us) const {
    return static_cast<size_t>(std::ranges::upper_bound(times_, time_us) - times_.begin());
  }

 private:
  template <typename Wanted>
  void Gather(int64_t device, Wanted wanted) {
    times_.clear();
    for (const MemorySnapshot::Mark& mark : snapshot_.marks) {
      if (mark.device == device && wanted(mark)) times_.push_back(mark.time_us);
    }
  }
  StringId MostOften(int64_t device) const {
    std::map<StringId, int64_t> counts;
    StringId best = kEmptyString;
    for (const MemorySnapshot::Mark& mark : snapshot_.marks) {
      if (mark.device != device) continue;
      if (++counts[mark.name] > counts[best] || best == kEmptyString) best = mark.name;
    }
    return best;
  }
  std::string_view FirstName(int64_t device, std::string_view kind) const {
    for (const MemorySnapshot::Mark& mark : snapshot_.marks) {
      const std::string_view name = snapshot_.strings[mark.name];
      if (mark.device == device && name.starts_with(kind)) return name;
    }
    return kind;
  }

  const MemorySnapshot& snapshot_;
  std::vector<int64_t> times_;
  std::string_view name_;
};

class DeviceReplay {
 public:
  DeviceReplay(const MemorySnapshot& snapshot, int64_t device, DeviceMemory& into)
      : snapshot_(snapshot), into_(into), marks_(snapshot, device) {
    into_.device = device;
    const auto index = static_cast<size_t>(device);
    if (device >= 0 && index < snapshot.traces.size()) events_ = &snapshot.traces[index];
  }

  void Run() {
    CountSegments();
    if (events_ == nullptr || events_->empty()) {
      into_.peak = into_.requested;
      into_.at_peak = into_.now;
      into_.modules_at_peak = into_.modules_now;
      return;
    }
    CountEvents();
    FindPeak();
    FindGrowth();
    FindOutOfMemory();
  }

 private:
  std::string NameOf(StringId site) const {
    return site == kEmptyString ? kNoStack : std::string(snapshot_.strings[site]);
  }

  void CountSegments() {
    HeldBySite held, modules;
    for (const MemorySnapshot::Segment& segment : snapshot_.segments) {
      if (segment.device != into_.device) continue;
      ++into_.segments;
      into_.reserved += segment.total;
      into_.allocated += segment.allocated;
      if (segment.private_pool) into_.private_pools += segment.total;
      if (segment.allocated > 0 && segment.allocated < segment.total / 10) {
        ++into_.pinned_segments;
        into_.pinned_free += segment.total - segment.allocated;
      }
      for (const MemorySnapshot::Block& block : segment.blocks) {
        ++into_.blocks;
        if (!block.active) {
          into_.largest_free = std::max(into_.largest_free, block.size);
          continue;
        }
        ++into_.active_blocks;
        into_.requested += block.requested;
        held[NameOf(block.site)].Add(block.requested);
        modules[NameOf(block.module)].Add(block.requested);
      }
    }
    into_.now = Sorted(held);
    into_.modules_now = Sorted(modules);
  }

  void CountEvents() {
    const std::vector<int64_t>& steps = marks_.times();
    const int64_t first_step_end =
        steps.size() > 1 ? steps[1] : std::numeric_limits<int64_t>::max();
    for (const Event& event : *events_) {
      into_.allocs += event.action == Action::kAlloc ? 1 : 0;
      into_.frees += event.action == Action::kFreeRequested ? 1 : 0;
      into_.free_completions += event.action == Action::kFreeCompleted ? 1 : 0;
      if (event.action != Action::kSegmentAlloc) continue;
      ++into_.segment_allocs;
      into_.segment_allocs_after_first_step += event.time_us >= first_step_end ? 1 : 0;
    }
    into_.span_us = events_->back().time_us - events_->front().time_us;
  }

  // The recording may begin in the middle: what is live now and was not asked for in it was there
  // before. Working back from now gives true figures.
  int64_t BytesBefore() const {
    int64_t change = 0;
    for (const Event& event : *events_) change += ChangeOf(event);
    return into_.requested - change;
  }
  static int64_t ChangeOf(const Event& event) {
    if (event.action == Action::kAlloc) return event.size;
    return event.action == Action::kFreeRequested ? -event.size : 0;
  }

  void FindPeak() {
    int64_t live = BytesBefore();
    const int64_t before = live;
    into_.peak = live;
    size_t peak_at = 0;
    for (size_t i = 0; i < events_->size(); ++i) {
      live += ChangeOf((*events_)[i]);
      if (live <= into_.peak) continue;
      into_.peak = live;
      peak_at = i + 1;
      into_.peak_after_us = (*events_)[i].time_us - events_->front().time_us;
    }
    const Live at_peak = LiveAfter(peak_at, before);
    into_.at_peak = Sorted(BySite(at_peak));
    into_.modules_at_peak = Sorted(ByModule(at_peak));
    into_.steps_at_peak = ByStep(at_peak);
  }

  // What is there after some of the events.
  struct Live {
    int64_t before = 0;  // bytes from before the recording
    std::vector<const Event*> allocations;
  };
  Live LiveAfter(size_t count, int64_t before) const {
    std::unordered_map<uint64_t, const Event*> live;
    Live found{before, {}};
    for (size_t i = 0; i < count; ++i) {
      const Event& event = (*events_)[i];
      if (event.action == Action::kAlloc) live[event.address] = &event;
      if (event.action == Action::kFreeRequested && live.erase(event.address) == 0) {
        found.before -= event.size;
      }
    }
    for (const auto& [address, event] : live) found.allocations.push_back(event);
    return found;
  }
  template <typename Label>
  HeldBySite Grouped(const Live& live, Label label) const {
    std::unordered_map<StringId, Held> by_id;
    for (const Event* event : live.allocations) by_id[label(*event)].Add(event->size);
    HeldBySite held;
    for (const auto& [id, of] : by_id) held[NameOf(id)] = of;
    if (live.before > 0) held[kBefore] = {live.before, 0};
    return held;
  }
  HeldBySite BySite(const Live& live) const {
    return Grouped(live, [](const Event& event) { return event.site; });
  }
  HeldBySite ByModule(const Live& live) const {
    return Grouped(live, [](const Event& event) { return event.module; });
  }

  // Steps are named by their number; none where the program marks no steps.
  std::vector<SiteBytes> ByStep(const Live& live) const {
    std::vector<SiteBytes> steps;
    if (marks_.times().size() < 2) return steps;
    std::map<size_t, Held> held;
    for (const Event* event : live.allocations) held[marks_.Begun(event->time_us)].Add(event->size);
    if (live.before > 0) steps.push_back({kBefore, live.before, 0});
    for (const auto& [step, of] : held) {
      steps.push_back({step == 0 ? kBeforeSteps : std::to_string(step), of.bytes, of.blocks});
    }
    return steps;
  }

  // What is there after the second count of events and was not after the first, for each step.
  template <typename Group>
  std::vector<SiteBytes> Gained(const Live& first, const Live& last, int64_t steps,
                                Group group) const {
    HeldBySite gained = group(last);
    for (const auto& [site, held] : group(first)) {
      gained[site].bytes -= held.bytes;
      gained[site].blocks -= held.blocks;
    }
    for (auto& [site, held] : gained) {
      held.bytes /= steps;
      held.blocks /= steps;
    }
    std::erase_if(gained, [](const auto& entry) { return entry.second.bytes == 0; });
    return Sorted(gained);
  }

  void FindGrowth() {
    std::vector<size_t> at;  // events before each mark
    for (const int64_t time : marks_.times()) {
      const auto first = std::ranges::lower_bound(*events_, time, {}, &Event::time_us);
      at.push_back(static_cast<size_t>(first - events_->begin()));
    }
    constexpr size_t kFewest = 3;
    if (at.size() < kFewest) return;
    Growth growth;
    growth.mark = marks_.name();
    growth.steps = static_cast<int64_t>(at.size()) - 1;
    const int64_t before = BytesBefore();
    int64_t live = before;
    for (size_t i = 0, e = 0; i < at.size(); ++i) {
      for (; e < at[i]; ++e) live += ChangeOf((*events_)[e]);
      growth.live.push_back(live);
    }
    std::vector<int64_t> changes;
    for (size_t i = 1; i < at.size(); ++i) changes.push_back(growth.live[i] - growth.live[i - 1]);
    const auto middle = changes.begin() + static_cast<ptrdiff_t>(changes.size() / 2);
    std::nth_element(changes.begin(), middle, changes.end());
    growth.bytes_per_step = *middle;
    // The first step makes what stays (optimizer states); what grows does so after it.
    const Live first = LiveAfter(at[1], before), last = LiveAfter(at.back(), before);
    const int64_t steps = std::max<int64_t>(growth.steps - 1, 1);
    growth.sites = Gained(first, last, steps, [this](const Live& of) { return BySite(of); });
    growth.modules = Gained(first, last, steps, [this](const Live& of) { return ByModule(of); });
    into_.growth = std::move(growth);
  }

  void FindOutOfMemory() {
    for (const Event& event : *events_) {
      if (event.action != Action::kOutOfMemory) continue;
      OutOfMemory oom;
      oom.wanted = event.size;
      oom.device_free = static_cast<int64_t>(event.address);
      oom.cached_free = into_.reserved - into_.allocated;
      oom.largest_free = into_.largest_free;
      oom.fragmented = oom.cached_free + oom.device_free >= oom.wanted &&
                       oom.largest_free < oom.wanted && oom.device_free < oom.wanted;
      into_.oom = oom;
    }
  }

  const MemorySnapshot& snapshot_;
  DeviceMemory& into_;
  const StepMarks marks_;
  const std::vector<Event>* events_ = nullptr;
};

}  // namespace

double FragmentationOf(const DeviceMemory& memory) {
  const int64_t free = memory.reserved - memory.allocated;
  if (free <= 0) return 0;
  return 1 - static_cast<double>(memory.largest_free) / static_cast<double>(free);
}

MemorySummary SummarizeMemory(const MemorySnapshot& snapshot) {
  std::map<int64_t, DeviceMemory> devices;
  for (const MemorySnapshot::Segment& segment : snapshot.segments) devices[segment.device];
  for (size_t i = 0; i < snapshot.traces.size(); ++i) {
    if (!snapshot.traces[i].empty()) devices[static_cast<int64_t>(i)];
  }
  MemorySummary summary;
  summary.expandable_segments = snapshot.expandable_segments;
  for (auto& [device, memory] : devices) {
    DeviceReplay(snapshot, device, memory).Run();
    summary.devices.push_back(std::move(memory));
  }
  return summary;
}

std::vector<SiteBytes> CompareSites(const std::vector<SiteBytes>& before,
                                    const std::vector<SiteBytes>& after) {
  HeldBySite change;
  for (const SiteBytes& site : after) {
    change[site.site].bytes += site.bytes;
    change[site.site].blocks += site.blocks;
  }
  for (const SiteBytes& site : before) {
    change[site.site].bytes -= site.bytes;
    change[site.site].blocks -= site.blocks;
  }
  std::erase_if(change, [](const auto& entry) { return entry.second.bytes == 0; });
  return Sorted(change);
}

}  // namespace stepscope
