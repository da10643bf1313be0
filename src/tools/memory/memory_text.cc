#include "tools/memory/memory_text.h"

#include "base/time.h"
#include "present/table.h"
#include "present/units.h"
#include "words/snapshot.h"

namespace stepscope {
namespace {

constexpr SayFrom<kSnapshotTexts> Say;

std::string SignedBytes(int64_t bytes) {
  return bytes < 0 ? "-" + FormatBytes(-bytes) : "+" + FormatBytes(bytes);
}

std::string Micros(int64_t us) { return FormatDuration(DurationNs{us * 1000}); }

std::string SiteTable(const Message& heading, const std::vector<SiteBytes>& sites, size_t top,
                      bool changes, const Style& style) {
  const SayIn<kSnapshotTexts> say(style);
  Table table(style.Say(heading), {{"", Align::kLeft, Fit::kShorten},
                                   {say("snapshot.column.bytes"), Align::kRight, Fit::kKeep},
                                   {say("snapshot.column.share"), Align::kRight, Fit::kDrop},
                                   {say("snapshot.column.blocks"), Align::kRight, Fit::kDrop}});
  int64_t total = 0;
  for (const SiteBytes& site : sites) total += site.bytes;
  for (size_t i = 0; i < sites.size() && i < top; ++i) {
    table.AddRow({style.Say(SiteInWords(sites[i].site)),
                  changes ? SignedBytes(sites[i].bytes) : FormatBytes(sites[i].bytes),
                  changes ? std::string() : FormatPercent(sites[i].bytes, total),
                  FormatCount(sites[i].blocks)});
  }
  return table.empty() ? std::string() : "\n" + table.Render(style);
}

std::string OutOfMemoryText(const OutOfMemory& oom, bool expandable, const Style& style) {
  const SayIn<kSnapshotTexts> say(style);
  std::string out = say("snapshot.oom", FormatBytes(oom.wanted), FormatBytes(oom.device_free),
                        FormatBytes(oom.cached_free), FormatBytes(oom.largest_free)) +
                    "\n  ";
  if (!oom.fragmented) return out + say("snapshot.full") + "\n";
  out += say("snapshot.fragmented") + "\n";
  if (!expandable) out += "  " + say("snapshot.do") + "\n";
  return out;
}

std::string DeviceText(const DeviceMemory& memory, const MemoryView& view, const Style& style) {
  std::string out;
  const auto line = [&](const Message& text) { out += style.Say(text) + "\n"; };
  const auto more = [&](const Message& text) {
    out += "        ";
    line(text);
  };
  line(Say("snapshot.device", memory.device, FormatBytes(memory.reserved), memory.segments,
           FormatBytes(memory.allocated), FormatBytes(memory.reserved - memory.allocated),
           memory.blocks - memory.active_blocks, FormatBytes(memory.largest_free)));
  if (memory.allocated > memory.requested) {
    more(Say("snapshot.rounding", FormatBytes(memory.allocated - memory.requested)));
  }
  if (memory.private_pools > 0) more(Say("snapshot.graphs", FormatBytes(memory.private_pools)));
  if (memory.allocs + memory.frees > 0) {
    const Message after =
        memory.peak_after_us ? Say("snapshot.after", Micros(*memory.peak_after_us)) : Message();
    line(Say("snapshot.peak", FormatBytes(memory.peak), after, memory.allocs, memory.frees,
             memory.segment_allocs, Micros(memory.span_us)));
  }
  if (memory.segment_allocs_after_first_step > 0) {
    line(Say("snapshot.churn", memory.segment_allocs_after_first_step));
  }
  if (memory.growth && memory.growth->bytes_per_step > 0) {
    line(Say("snapshot.growth", SignedBytes(memory.growth->bytes_per_step), memory.growth->steps,
             style.Clean(memory.growth->mark)));
    out += SiteTable(Say("snapshot.heading.grows"), memory.growth->sites, view.top, true, style);
  }
  if (memory.oom) out += OutOfMemoryText(*memory.oom, view.summary.expandable_segments, style);
  out += SiteTable(Say("snapshot.heading.peak"), memory.at_peak, view.top, false, style);
  return out;
}

}  // namespace

std::vector<SiteBytes> ChangesOf(const MemorySummary& before, const MemorySummary& after) {
  std::vector<SiteBytes> old_sites, new_sites;
  for (const DeviceMemory& device : before.devices) {
    old_sites.insert(old_sites.end(), device.now.begin(), device.now.end());
  }
  for (const DeviceMemory& device : after.devices) {
    new_sites.insert(new_sites.end(), device.now.begin(), device.now.end());
  }
  return CompareSites(old_sites, new_sites);
}

std::string MemoryText(const MemoryView& view, const Style& style) {
  std::string out;
  for (const DeviceMemory& memory : view.summary.devices) {
    if (!out.empty()) out += "\n";
    out += DeviceText(memory, view, style);
  }
  if (out.empty()) out = style.Say(Say("snapshot.nothing")) + "\n";
  if (view.against != nullptr) {
    const std::vector<SiteBytes> changes = ChangesOf(*view.against, view.summary);
    out += changes.empty()
               ? "\n" + style.Say(Say("snapshot.same")) + "\n"
               : SiteTable(Say("snapshot.heading.against"), changes, view.top, true, style);
  }
  return out;
}

}  // namespace stepscope
