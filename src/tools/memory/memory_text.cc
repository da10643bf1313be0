#include "tools/memory/memory_text.h"

#include <fmt/format.h>

#include "base/time.h"
#include "present/table.h"
#include "present/units.h"

namespace stepscope {
namespace {

std::string SignedBytes(int64_t bytes) {
  return bytes < 0 ? "-" + FormatBytes(-bytes) : "+" + FormatBytes(bytes);
}

std::string Micros(int64_t us) { return FormatDuration(DurationNs{us * 1000}); }

std::string SiteTable(const char* heading, const std::vector<SiteBytes>& sites, size_t top,
                      bool changes, const Style& style) {
  Table table(heading, {{"", Align::kLeft, Fit::kShorten},
                        {"bytes", Align::kRight, Fit::kKeep},
                        {"%", Align::kRight, Fit::kDrop},
                        {"blocks", Align::kRight, Fit::kDrop}});
  int64_t total = 0;
  for (const SiteBytes& site : sites) total += site.bytes;
  for (size_t i = 0; i < sites.size() && i < top; ++i) {
    table.AddRow({sites[i].site,
                  changes ? SignedBytes(sites[i].bytes) : FormatBytes(sites[i].bytes),
                  changes ? std::string() : FormatPercent(sites[i].bytes, total),
                  FormatCount(sites[i].blocks)});
  }
  return table.empty() ? std::string() : "\n" + table.Render(style);
}

std::string OutOfMemoryText(const OutOfMemory& oom, bool expandable) {
  std::string out = fmt::format(
      "Out of memory: {} were asked for; the device had {} left, the "
      "cache {} in pieces of at most {}.\n",
      FormatBytes(oom.wanted), FormatBytes(oom.device_free), FormatBytes(oom.cached_free),
      FormatBytes(oom.largest_free));
  if (!oom.fragmented) return out + "  The device was really full: hold less at the peak.\n";
  out += "  There was enough, but not in one piece: the cache is fragmented.\n";
  if (!expandable) out += "  Do    PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n";
  return out;
}

std::string DeviceText(const DeviceMemory& memory, const MemoryView& view, const Style& style) {
  std::string out = fmt::format(
      "gpu:{}   {} reserved in {} · {} allocated · {} free in {}, the largest {}\n", memory.device,
      FormatBytes(memory.reserved),
      Plural(static_cast<uint64_t>(memory.segments), "segment", "segments"),
      FormatBytes(memory.allocated), FormatBytes(memory.reserved - memory.allocated),
      Plural(static_cast<uint64_t>(memory.blocks - memory.active_blocks), "block", "blocks"),
      FormatBytes(memory.largest_free));
  if (memory.allocated > memory.requested) {
    out += fmt::format("        {} of the allocated bytes are rounding\n",
                       FormatBytes(memory.allocated - memory.requested));
  }
  if (memory.private_pools > 0) {
    out += fmt::format("        {} belong to CUDA graphs\n", FormatBytes(memory.private_pools));
  }
  if (memory.allocs + memory.frees > 0) {
    out += fmt::format("Peak    {}{} · {} allocations, {} frees, {} segments made in {}\n",
                       FormatBytes(memory.peak),
                       memory.peak_after_us ? " after " + Micros(*memory.peak_after_us) : "",
                       FormatCount(memory.allocs), FormatCount(memory.frees),
                       FormatCount(memory.segment_allocs), Micros(memory.span_us));
  }
  if (memory.segment_allocs_after_first_step > 0) {
    out += fmt::format("Churn   {} made after the first step; each one stalls the program\n",
                       Plural(static_cast<uint64_t>(memory.segment_allocs_after_first_step),
                              "segment was", "segments were"));
  }
  if (memory.growth && memory.growth->bytes_per_step > 0) {
    out += fmt::format("Growth  {} a step, over {} of {}\n",
                       SignedBytes(memory.growth->bytes_per_step),
                       Plural(static_cast<uint64_t>(memory.growth->steps), "step", "steps"),
                       style.Clean(memory.growth->mark));
    out += SiteTable("Grows, per step", memory.growth->sites, view.top, true, style);
  }
  if (memory.oom) out += OutOfMemoryText(*memory.oom, view.summary.expandable_segments);
  out += SiteTable("Held at the peak", memory.at_peak, view.top, false, style);
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
  if (out.empty()) out = "The snapshot holds no memory of any device.\n";
  if (view.against != nullptr) {
    const std::vector<SiteBytes> changes = ChangesOf(*view.against, view.summary);
    out += changes.empty() ? std::string("\nBoth snapshots hold the same by call site.\n")
                           : SiteTable("Held now, against before", changes, view.top, true, style);
  }
  return out;
}

}  // namespace stepscope
