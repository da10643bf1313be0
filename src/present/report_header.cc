#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include "present/report_sections.h"
#include "present/unicode.h"
#include "present/units.h"
#include "present/words.h"

// Header, trust and step lines: what was profiled, how far it can be trusted, how long a step is.
namespace stepscope {
namespace {

constexpr SayFrom<kReportTexts> Say;

constexpr size_t kLabelWidth = 8;

// "8 × NVIDIA H200", or the ids of devices that the file does not name.
std::string DevicesInWords(const TextView& view) {
  const Trace& trace = view.trace;
  std::vector<std::pair<std::string, size_t>> counted;  // by name, in order of first appearance
  std::string unnamed;
  for (const Device& device : trace.devices) {
    if (device.type == DeviceType::kCpu) continue;
    if (device.name.empty()) {
      unnamed += (unnamed.empty() ? "" : ", ") + DeviceIdOf(device.type, device.index);
      continue;
    }
    const auto same = std::find_if(counted.begin(), counted.end(),
                                   [&](const auto& seen) { return seen.first == device.name; });
    if (same == counted.end()) {
      counted.emplace_back(device.name, 1);
    } else {
      ++same->second;
    }
  }
  std::string out;
  for (const auto& [name, count] : counted) {
    out += fmt::format("{}{} × {}", out.empty() ? "" : ", ", count, name);
  }
  if (!unnamed.empty()) out += (out.empty() ? "" : ", ") + unnamed;
  return out.empty() ? view.say("report.no-accelerator") : out;
}

Message FormatInWords(Format format) {
  const std::string_view title = FactsOf(format).title;
  if (!title.empty()) return Verbatim(title);
  if (format == Format::kMemorySnapshot) return Say("report.format.snapshot");
  return format == Format::kRecording ? Say("report.format.recording")
                                      : Say("report.format.chrome");
}

std::string Label(const Style& style, std::string_view label) {
  return style.Paint(Color::kBold, label) +
         std::string(kLabelWidth - std::min(kLabelWidth, DisplayWidth(label)), ' ');
}

struct TrustLine {
  std::string mark;
  Color color;
  std::string text;
};

// Notes that change the meaning of the numbers; the others are bookkeeping.
bool IsAboutSteps(Diagnostic code) {
  return code == Diagnostic::kStepCut || code == Diagnostic::kStepWarmup ||
         code == Diagnostic::kStepsByRepetition || code == Diagnostic::kNoSteps ||
         code == Diagnostic::kDeviceIdsDiffer;
}

TrustLine LineOf(const Diagnostics::Entry& entry, const TextView& view) {
  const Style& style = view.style;
  std::string text = style.Say(QualitySentence(entry));
  if (!entry.examples.empty()) {
    const Diagnostics::Example& first = entry.examples[0];
    if (first.offset) {
      text += " " + view.say("report.first-at", *first.offset);
    } else if (!first.text.empty()) {
      text += " " + view.say("report.first", ShortenEnd(style.Say(first.text), 160));
    }
  }
  switch (SeverityOf(entry.code)) {
    case Severity::kError:
      return {"✘", Color::kRed, std::move(text)};
    case Severity::kWarning:
      return {"!", Color::kYellow, std::move(text)};
    case Severity::kInfo:
      return {"·", Color::kDim, std::move(text)};
  }
  std::unreachable();
}

std::string StepInWords(const TextView& view) {
  const StepStatistics& statistics = view.report.step_statistics;
  const Steps& steps = view.linked.steps;
  if (steps.items.empty()) return view.say("report.no-steps");
  if (!statistics.median) return view.say("report.no-usable-steps");
  std::string text = view.say("report.median-step", FormatDuration(*statistics.median));
  if (statistics.used > 1 && statistics.min && statistics.max) {
    text += fmt::format(" ({})", FormatRange(*statistics.min, *statistics.max));
  }
  if (statistics.unprofiled_median && statistics.unprofiled == 0 &&
      ProfilerMatters(*statistics.median, *statistics.unprofiled_median)) {
    text +=
        " · " + view.say("report.without-profiler", FormatDuration(*statistics.unprofiled_median));
  }
  if (statistics.median->ns > 0) {
    const double rate = 1e9 / static_cast<double>(statistics.median->ns);
    text += " · " + view.say("report.steps-per-second",
                             rate < 100 ? fmt::format("{:.1f}", rate)
                                        : FormatCount(static_cast<uint64_t>(std::llround(rate))));
  }
  if (statistics.used < steps.items.size()) {
    text += " · " + view.say("report.used", statistics.used, steps.items.size());
  }
  text += " · " + (steps.source == StepSource::kRepetition
                       ? view.say("report.by-repetition", 100 * steps.confidence)
                       : view.say("report.marked-by", steps.source_name));
  return text;
}

std::string VerdictLine(const TextView& view) {
  if (view.report.verdict.bound_by == BoundBy::kUnknown) return {};
  const std::string bound = view.say("report.bound-by", BoundInWords(view.report.verdict.bound_by));
  const std::string front = Label(view.style, view.say("report.verdict")) +
                            view.style.Paint(Color::kYellow, bound) + ": ";
  return Wrapped(view.style, front, kLabelWidth + DisplayWidth(bound) + 2, kLabelWidth,
                 view.style.Say(VerdictSentence(view.linked, view.report)));
}

// "ms", "%).", "GiB": what follows a number and belongs to it.
bool IsUnit(std::string_view word) {
  word = word.substr(0, word.find_last_not_of(".,;:)") + 1);
  constexpr std::array<std::string_view, 14> kUnits{"%",   "ns",  "µs", "ms", "s",  "B",    "KiB",
                                                    "MiB", "GiB", "kB", "MB", "GB", "MB/s", "GB/s"};
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

// Whether a line may not start with the character: it belongs to what is before it.
bool Closes(std::string_view text) {
  for (const std::string_view mark : {"，", "。", "；", "：", "、", "）", "”", "！", "？"}) {
    if (text.starts_with(mark)) return true;
  }
  return false;
}

// Where the first word ends. Lines may also break between Chinese characters, which know no spaces.
size_t EndOfWord(std::string_view text) {
  size_t end = 0;
  bool after_wide = false;
  while (end < text.size() && text[end] != ' ') {
    const CodePoint next = DecodeUtf8(text.substr(end));
    const bool wide = WidthOf(next.value) == 2;
    if (end > 0 && (wide || after_wide) && !Closes(text.substr(end)) &&
        !text.substr(0, end).ends_with("（") && !text.substr(0, end).ends_with("“")) {
      return end;
    }
    after_wide = wide;
    end += next.bytes;
  }
  // A number stays with its unit.
  if (end > 0 && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end - 1]))) {
    const size_t next = std::min(text.find(' ', end + 1), text.size());
    if (IsUnit(text.substr(end + 1, next - end - 1))) end = next;
  }
  return end;
}

}  // namespace

std::string Wrapped(const Style& style, std::string_view front, size_t front_width, size_t indent,
                    std::string_view text) {
  std::string out(front);
  size_t column = front_width;
  bool line_has_words = false;
  bool spaced = false;
  while (!text.empty()) {
    const size_t end = EndOfWord(text);
    const std::string word = style.Clean(text.substr(0, end));
    const size_t gap = spaced ? 1 : 0;
    const size_t width = DisplayWidth(word);
    if (line_has_words && column + gap + width > style.width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
      line_has_words = false;
    }
    if (line_has_words) {
      out.append(gap, ' ');
      column += gap;
    }
    out += word;
    column += width;
    line_has_words = true;
    spaced = end < text.size() && text[end] == ' ';
    text.remove_prefix(end + (spaced ? 1 : 0));
  }
  return out + '\n';
}

std::string Labelled(const Style& style, std::string_view label, std::string_view text) {
  return Wrapped(style, Label(style, label), kLabelWidth, kLabelWidth, text);
}

std::string HeaderSection(const TextView& view) {
  const Trace& trace = view.trace;
  const RunFacts& facts = trace.facts;
  std::string about =
      facts.framework.empty() ? view.style.Say(FormatInWords(facts.format)) : facts.framework;
  if (!facts.framework_version.empty()) about += " " + facts.framework_version;
  about += " · " + DevicesInWords(view);
  const auto accelerators = static_cast<size_t>(
      std::count_if(trace.devices.begin(), trace.devices.end(),
                    [](const Device& device) { return device.type != DeviceType::kCpu; }));
  const size_t used = view.report.device_timeline.size();
  if (used > 0 && used < accelerators) about += view.say("report.devices-used", used);
  if (facts.rank) {
    about += " · " + (facts.world_size ? view.say("report.rank-of", *facts.rank, *facts.world_size)
                                       : view.say("report.rank", *facts.rank));
  }
  if (!facts.host.empty()) about += " · " + view.say("report.on-host", facts.host);
  about += fmt::format(
      " · {} · {} · {}", view.say("report.steps-count", view.linked.steps.items.size()),
      FormatDuration(trace.span), view.say("report.events-count", trace.events.in_file));
  std::string path =
      view.style.Clean(trace.path == "-" ? view.say("report.standard-input") : trace.path);
  if (!trace.other_paths.empty()) {
    path += " + " + view.say("report.files-count", trace.other_paths.size());
  }
  about = view.style.Clean(about);
  const bool one_line = DisplayWidth(path) + 3 + DisplayWidth(about) <= view.style.width;
  std::string out = view.style.Paint(Color::kBold, path);
  out += one_line ? "   " + about + "\n" : "\n" + Labelled(view.style, "", about);
  return out + TrustSection(view);
}

std::string TrustSection(const TextView& view) {
  std::vector<TrustLine> lines;
  const Links& links = view.linked.links;
  if (links.device_events > 0 && links.linked_by_correlation == links.device_events) {
    lines.push_back({"✔", Color::kGreen, view.say("report.all-linked", links.device_events)});
  }
  size_t left_out = 0;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kInfo}) {
    for (const Diagnostics::Entry& entry : view.report.quality.entries()) {
      if (SeverityOf(entry.code) != severity) continue;
      const bool shown =
          severity != Severity::kInfo || IsAboutSteps(entry.code) || view.options.all;
      shown ? lines.push_back(LineOf(entry, view)) : void(++left_out);
    }
  }
  if (left_out > 0) {
    lines.push_back({"·", Color::kDim, view.say("report.minor-notes", left_out)});
  }
  if (lines.empty()) lines.push_back({"✔", Color::kGreen, view.say("report.nothing-to-doubt")});
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string mark = view.style.Clean(lines[i].mark);
    const std::string front = Label(view.style, i == 0 ? view.say("report.trust") : "") +
                              view.style.Paint(lines[i].color, mark) + ' ';
    out += Wrapped(view.style, front, kLabelWidth + 2, kLabelWidth + 2, lines[i].text);
  }
  return out;
}

std::string StepSection(const TextView& view) {
  return Labelled(view.style, view.say("report.step"), StepInWords(view)) + VerdictLine(view);
}

}  // namespace stepscope
