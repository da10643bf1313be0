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
const std::string& Before() {
  static const std::string name = InEnglish(Say("snapshot.before"));
  return name;
}
const std::string& NoStack() {
  static const std::string name = InEnglish(Say("snapshot.no-stack"));
  return name;
}

struct Held {
  int64_t bytes = 0;
  int64_t blocks = 0;
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

class DeviceReplay {
 public:
  DeviceReplay(const MemorySnapshot& snapshot, int64_t device, DeviceMemory& into)
      : snapshot_(snapshot), into_(into) {
    into_.device = device;
    const auto index = static_cast<size_t>(device);
    if (device >= 0 && index < snapshot.traces.size()) events_ = &snapshot.traces[index];
  }

  void Run() {
    CountSegments();
    if (events_ == nullptr || events_->empty()) {
      into_.peak = into_.requested;
      into_.at_peak = into_.now;
      return;
    }
    CountEvents();
    FindPeak();
    FindGrowth();
    FindOutOfMemory();
  }

 private:
  std::string NameOf(StringId site) const {
    return site == kEmptyString ? NoStack() : std::string(snapshot_.strings[site]);
  }

  void CountSegments() {
    HeldBySite held;
    for (const MemorySnapshot::Segment& segment : snapshot_.segments) {
      if (segment.device != into_.device) continue;
      ++into_.segments;
      into_.reserved += segment.total;
      into_.allocated += segment.allocated;
      if (segment.private_pool) into_.private_pools += segment.total;
      for (const MemorySnapshot::Block& block : segment.blocks) {
        ++into_.blocks;
        if (!block.active) {
          into_.largest_free = std::max(into_.largest_free, block.size);
          continue;
        }
        ++into_.active_blocks;
        into_.requested += block.requested;
        Held& of = held[NameOf(block.site)];
        of.bytes += block.requested;
        ++of.blocks;
      }
    }
    into_.now = Sorted(held);
  }

  void CountEvents() {
    int64_t first_step_end = std::numeric_limits<int64_t>::max();
    const StringId mark = StepMark();
    int64_t seen = 0;
    for (const MemorySnapshot::Mark& one : snapshot_.marks) {
      if (one.name != mark || one.device != into_.device || ++seen != 2) continue;
      first_step_end = one.time_us;
    }
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
    into_.at_peak = Sorted(HeldAfter(peak_at, before));
  }

  // Who holds memory after the first `count` events.
  HeldBySite HeldAfter(size_t count, int64_t before) const {
    std::unordered_map<uint64_t, const Event*> live;
    HeldBySite held;
    Held there_before{before, 0};
    for (size_t i = 0; i < count; ++i) {
      const Event& event = (*events_)[i];
      if (event.action == Action::kAlloc) live[event.address] = &event;
      if (event.action == Action::kFreeRequested && live.erase(event.address) == 0) {
        there_before.bytes -= event.size;
      }
    }
    for (const auto& [address, event] : live) {
      Held& of = held[NameOf(event->site)];
      of.bytes += event->size;
      ++of.blocks;
    }
    if (there_before.bytes > 0) held[Before()] = there_before;
    return held;
  }

  // The mark that comes most often: once a step, as a rule.
  StringId StepMark() const {
    std::map<StringId, int64_t> counts;
    StringId best = kEmptyString;
    for (const MemorySnapshot::Mark& mark : snapshot_.marks) {
      if (mark.device != into_.device) continue;
      if (++counts[mark.name] > counts[best] || best == kEmptyString) best = mark.name;
    }
    return best;
  }

  void FindGrowth() {
    const StringId name = StepMark();
    std::vector<size_t> at;  // events before each mark
    for (const MemorySnapshot::Mark& mark : snapshot_.marks) {
      if (mark.name != name || mark.device != into_.device) continue;
      const auto first = std::ranges::lower_bound(*events_, mark.time_us, {}, &Event::time_us);
      at.push_back(static_cast<size_t>(first - events_->begin()));
    }
    constexpr size_t kFewest = 3;
    if (at.size() < kFewest) return;
    Growth growth;
    growth.mark = snapshot_.strings[name];
    growth.steps = static_cast<int64_t>(at.size()) - 1;
    std::vector<int64_t> changes;
    for (size_t i = 1; i < at.size(); ++i) {
      int64_t change = 0;
      for (size_t e = at[i - 1]; e < at[i]; ++e) change += ChangeOf((*events_)[e]);
      changes.push_back(change);
    }
    const auto middle = changes.begin() + static_cast<ptrdiff_t>(changes.size() / 2);
    std::nth_element(changes.begin(), middle, changes.end());
    growth.bytes_per_step = *middle;
    // The first step makes what stays (optimizer states); what grows does so after it.
    const int64_t before = BytesBefore();
    HeldBySite gained = HeldAfter(at.back(), before);
    for (const auto& [site, held] : HeldAfter(at[1], before)) {
      gained[site].bytes -= held.bytes;
      gained[site].blocks -= held.blocks;
    }
    for (auto& [site, held] : gained) {
      held.bytes /= std::max<int64_t>(growth.steps - 1, 1);
      held.blocks /= std::max<int64_t>(growth.steps - 1, 1);
    }
    std::erase_if(gained, [](const auto& entry) { return entry.second.bytes == 0; });
    growth.sites = Sorted(gained);
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
  const std::vector<Event>* events_ = nullptr;
};

}  // namespace

Message SiteInWords(const std::string& site) {
  if (site == Before()) return Say("snapshot.before");
  return site == NoStack() ? Say("snapshot.no-stack") : Verbatim(site);
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
