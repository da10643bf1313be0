#include "tools/memory/memory_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/time.h"
#include "present/table.h"
#include "present/unicode.h"
#include "present/units.h"
#include "words/snapshot.h"

namespace stepscope {
namespace {

using Sites = std::vector<SiteBytes>;
using SayHere = SayIn<kSnapshotTexts>;

constexpr SayFrom<kSnapshotTexts> Say;

std::string SignedBytes(int64_t bytes) {
  return bytes < 0 ? "-" + FormatBytes(-bytes) : "+" + FormatBytes(bytes);
}

std::string Micros(int64_t us) { return FormatDuration(DurationNs{us * 1000}); }

// What is no place in the code has words in both languages.
std::string InWords(const std::string& site, const Style& style) {
  if (!site.starts_with('(')) return site;
  for (const Message& known :
       {Say("snapshot.no-stack"), Say("snapshot.before"), Say("snapshot.before-steps"),
        Say("snapshot.optimizer"), Say("snapshot.backward"), Say("snapshot.outside")}) {
    if (InEnglish(known) == site) return style.Say(known);
  }
  return site;
}

class Writer {
 public:
  Writer(const MemoryView& view, const Style& style) : view_(view), style_(style), say_(style) {}

  std::string Text() const {
    std::string out;
    for (const DeviceMemory& memory : view_.summary.devices) {
      if (!out.empty()) out += "\n";
      out += Device(memory);
    }
    if (out.empty()) out = say_("snapshot.nothing") + "\n";
    if (view_.against == nullptr) return out;
    const Sites sites = ChangesOf(*view_.against, view_.summary, &DeviceMemory::now);
    const Sites modules = ChangesOf(*view_.against, view_.summary, &DeviceMemory::modules_now);
    if (sites.empty()) return out + "\n" + say_("snapshot.same") + "\n";
    return out + SiteTable(say_("snapshot.against"), sites, true) +
           SiteTable(say_("snapshot.against-module"), modules, true);
  }

 private:
  static constexpr size_t kLabelWidth = 8;

  std::string Line(std::string_view label, std::string_view text) const {
    const size_t width = DisplayWidth(label);
    return std::string(label) + std::string(width < kLabelWidth ? kLabelWidth - width : 1, ' ') +
           style_.Clean(text) + "\n";
  }

  std::string SiteTable(const std::string& heading, const Sites& sites, bool changes,
                        bool steps = false) const {
    Table table(heading, {{"", Align::kLeft, Fit::kShorten},
                          {say_("snapshot.bytes"), Align::kRight, Fit::kKeep},
                          {"%", Align::kRight, Fit::kDrop},
                          {say_("snapshot.blocks"), Align::kRight, Fit::kDrop}});
    int64_t total = 0;
    for (const SiteBytes& site : sites) total += site.bytes;
    for (size_t i = 0; i < sites.size() && i < view_.top; ++i) {
      const SiteBytes& site = sites[i];
      const bool number = steps && !site.site.starts_with('(');
      table.AddRow({number ? say_("snapshot.step", site.site) : InWords(site.site, style_),
                    changes ? SignedBytes(site.bytes) : FormatBytes(site.bytes),
                    changes ? std::string() : FormatPercent(site.bytes, total),
                    FormatCount(site.blocks)});
    }
    return table.empty() ? std::string() : "\n" + table.Render(style_);
  }

  std::string OutOfMemoryText(const OutOfMemory& oom) const {
    std::string out =
        say_("snapshot.out-of-memory", FormatBytes(oom.wanted), FormatBytes(oom.device_free),
             FormatBytes(oom.cached_free), FormatBytes(oom.largest_free)) +
        "\n";
    if (!oom.fragmented) return out + "  " + say_("snapshot.really-full") + "\n";
    out += "  " + say_("snapshot.fragmented") + "\n";
    if (!view_.summary.expandable_segments) {
      out += fmt::format("  {}    PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n",
                         say_("snapshot.do"));
    }
    return out;
  }

  std::string Counts(const DeviceMemory& memory) const {
    std::string out =
        Line(fmt::format("gpu:{}", memory.device),
             say_("snapshot.device", FormatBytes(memory.reserved), memory.segments,
                  FormatBytes(memory.allocated), FormatBytes(memory.reserved - memory.allocated),
                  memory.blocks - memory.active_blocks, FormatBytes(memory.largest_free)));
    if (memory.allocated > memory.requested) {
      out += Line("", say_("snapshot.rounding", FormatBytes(memory.allocated - memory.requested)));
    }
    if (memory.private_pools > 0) {
      out += Line("", say_("snapshot.graphs", FormatBytes(memory.private_pools)));
    }
    if (memory.pinned_segments > 0) {
      out += Line("",
                  say_("snapshot.pinned", memory.pinned_segments, FormatBytes(memory.pinned_free)));
    }
    return out;
  }

  std::string Device(const DeviceMemory& memory) const {
    std::string out = Counts(memory);
    if (memory.allocs + memory.frees > 0) {
      const std::string span = Micros(memory.span_us);
      out += Line(
          say_("snapshot.peak"),
          memory.peak_after_us
              ? say_("snapshot.peak-after", FormatBytes(memory.peak), Micros(*memory.peak_after_us),
                     memory.allocs, memory.frees, memory.segment_allocs, span)
              : say_("snapshot.peak-counts", FormatBytes(memory.peak), memory.allocs, memory.frees,
                     memory.segment_allocs, span));
    }
    if (memory.segment_allocs_after_first_step > 0) {
      out += Line(say_("snapshot.churn"),
                  say_("snapshot.churn-made", memory.segment_allocs_after_first_step));
    }
    if (memory.growth && memory.growth->bytes_per_step > 0) {
      const Growth& growth = *memory.growth;
      out += Line(say_("snapshot.growth"),
                  say_("snapshot.growth-step", SignedBytes(growth.bytes_per_step), growth.steps,
                       growth.mark));
      out += SiteTable(say_("snapshot.grows"), growth.sites, true);
      out += SiteTable(say_("snapshot.grows-module"), growth.modules, true);
    }
    if (memory.oom) out += OutOfMemoryText(*memory.oom);
    out += SiteTable(say_("snapshot.held"), memory.at_peak, false);
    out += SiteTable(say_("snapshot.held-module"), memory.modules_at_peak, false);
    // A long run has more steps than rows: those that hold most.
    Sites steps = memory.steps_at_peak;
    std::ranges::stable_sort(steps, std::ranges::greater{}, &SiteBytes::bytes);
    out += SiteTable(say_("snapshot.held-step"), steps, false, true);
    return out;
  }

  const MemoryView& view_;
  const Style& style_;
  const SayHere say_;
};

}  // namespace

std::vector<SiteBytes> ChangesOf(const MemorySummary& before, const MemorySummary& after,
                                 std::vector<SiteBytes> DeviceMemory::* of) {
  const auto all = [of](const MemorySummary& summary) {
    Sites sites;
    for (const DeviceMemory& device : summary.devices) {
      sites.insert(sites.end(), (device.*of).begin(), (device.*of).end());
    }
    return sites;
  };
  return CompareSites(all(before), all(after));
}

std::string MemoryText(const MemoryView& view, const Style& style) {
  return Writer(view, style).Text();
}

}  // namespace stepscope
