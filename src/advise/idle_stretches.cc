#include "advise/idle_stretches.h"

#include <algorithm>

#include "advise/rule_tools.h"

namespace stepscope {
namespace {

// From the end of an executable that Python waits for to the launch of the next: JAX records
// nothing of the wait itself, and neither can be moved elsewhere.
constexpr DurationNs kDispatch{250'000};

bool IsIn(const Evidence& e, SliceId slice, StringId name) {
  for (SliceId at = slice; at != kNoSlice; at = e.trace.slices.parent[Index(at)]) {
    if (e.trace.slices.name[Index(at)] == name) return true;
  }
  return false;
}

}  // namespace

std::vector<Stretch> StretchesOf(const Evidence& e, Cause cause) {
  std::vector<Stretch> stretches;
  for (const IdleGaps& gaps : e.report.idle_gaps) {
    if (gaps.device != e.device()) continue;
    size_t window = 0;
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      const Interval time{gaps.start[i], gaps.start[i] + gaps.duration[i]};
      while (window < e.windows().size() && e.windows()[window].time.end <= time.start) ++window;
      if (window == e.windows().size()) break;
      if (gaps.cause[i] != cause || time.start < e.windows()[window].time.start) continue;
      const uint32_t step = e.windows()[window].step;
      const SliceId marker = step == kNoRow ? kNoSlice : e.linked.steps.items[step].marker;
      const SliceId thread = gaps.blamed[i] == kNoSlice ? marker : gaps.blamed[i];
      if (thread != kNoSlice) stretches.push_back({time, thread, gaps.blamed[i]});
    }
  }
  return stretches;
}

StringId CulpritOf(const Evidence& e, std::span<const Stretch> stretches) {
  const Slices& slices = e.trace.slices;
  std::vector<DurationNs> inside(e.trace.strings.size());
  std::vector<uint32_t> depth(e.trace.strings.size(), 0);
  DurationNs all{};
  std::vector<StringId> chain;
  for (const Stretch& stretch : stretches) {
    all += stretch.time.length();
    chain.clear();
    for (SliceId at = stretch.blamed; at != kNoSlice; at = slices.parent[Index(at)]) {
      const Kind kind = slices.kind[Index(at)];
      const bool named = kind == Kind::kPythonFrame || kind == Kind::kAnnotation;
      const StringId name = slices.name[Index(at)];
      if (!named || std::find(chain.begin(), chain.end(), name) != chain.end()) continue;
      chain.push_back(name);
      inside[Index(name)] += stretch.time.length();
      depth[Index(name)] = std::max(depth[Index(name)], uint32_t{slices.depth[Index(at)]});
    }
  }
  StringId culprit = kEmptyString;
  for (uint32_t name = 0; name < inside.size(); ++name) {
    if (inside[name].ns * 10 < all.ns * 6 || inside[name].ns == 0) continue;
    if (culprit == kEmptyString || depth[name] > depth[Index(culprit)]) culprit = StringId{name};
  }
  return culprit;
}

std::vector<Change> Cut(const Evidence& e, std::span<const Stretch> stretches, StringId inside) {
  std::vector<Change> changes;
  for (const Stretch& stretch : stretches) {
    if (inside != kEmptyString && !IsIn(e, stretch.blamed, inside)) continue;
    changes.push_back(
        {.slice = stretch.thread, .type = ChangeType::kCutTime, .time = stretch.time});
  }
  return changes;
}

DurationNs DropDispatch(const Evidence& e, bool python, std::vector<Stretch>& stretches) {
  if (!python || e.framework != Framework::kJax) return {};
  const size_t calls = Outermost(e, e.HostSpans(NameTag::kJitExecutable)).size();
  const DurationNs allowed{kDispatch.ns * static_cast<int64_t>(calls)};
  DurationNs dropped{};
  std::erase_if(stretches, [&](const Stretch& stretch) {
    const DurationNs time = stretch.time.length();
    if (time >= kDispatch || dropped + time > allowed) return false;
    dropped += time;
    return true;
  });
  return e.PerStep(dropped);
}

}  // namespace stepscope
