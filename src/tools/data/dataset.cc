#include "tools/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "present/table.h"
#include "present/units.h"
#include "words/data.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDataTexts> Say;
using Speaker = SayIn<kDataTexts>;

std::string Bytes(uint64_t bytes) { return FormatBytes(static_cast<int64_t>(bytes)); }
std::string Rate(double bytes_per_second) {
  return fmt::format("{:.0f} MB/s", bytes_per_second / 1e6);
}

std::string Line(const Style& style, Color color, const char* mark, const Message& text) {
  return fmt::format("{} {}\n", style.Paint(color, style.Clean(mark)),
                     style.Clean(style.Say(text)));
}

std::string DamageLine(const Style& style, const DatasetDamage& damage) {
  return Line(style, Color::kRed, "✗",
              Say("data.at-byte", damage.file, damage.offset, damage.sentence));
}

std::string Histogram(const DatasetSummary& summary, const Style& style) {
  const Speaker say(style);
  const auto between = [&](const char* least, const char* most) {
    return say("data.size.between", least, most);
  };
  const std::array names{say("data.size.tiny"),      between("4", "64 KiB"),
                         between("64 KiB", "1 MiB"), between("1", "16 MiB"),
                         between("16", "256 MiB"),   between("256 MiB", "1 GiB"),
                         say("data.size.huge")};
  Table table(say("data.heading.sizes"), {{"", Align::kLeft, Fit::kKeep},
                                          {say("data.column.files"), Align::kRight, Fit::kKeep},
                                          {"", Align::kLeft, Fit::kBar}});
  const uint64_t most = std::ranges::max(summary.size_histogram);
  for (size_t i = 0; i < names.size(); ++i) {
    if (summary.size_histogram[i] == 0) continue;
    table.AddRow({names[i], FormatCount(summary.size_histogram[i]),
                  Cell::Bar(static_cast<double>(summary.size_histogram[i]) /
                                static_cast<double>(std::max<uint64_t>(most, 1)),
                            Color::kCyan)});
  }
  return table.Render(style);
}

std::string CompressionOf(const FormatSummary& format) {
  std::string text;
  for (const auto& [name, files] : format.compression) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::string Formats(const DatasetSummary& summary, const Style& style) {
  const Speaker say(style);
  Table table(say("data.heading.format"),
              {{"", Align::kLeft, Fit::kKeep},
               {say("data.column.files"), Align::kRight, Fit::kKeep},
               {say("data.column.size"), Align::kRight, Fit::kKeep},
               {say("data.column.records"), Align::kRight, Fit::kKeep},
               {say("data.column.record-bytes"), Align::kRight, Fit::kKeep},
               {say("data.column.smallest"), Align::kRight, Fit::kDrop},
               {say("data.column.largest"), Align::kRight, Fit::kDrop},
               {say("data.column.compression"), Align::kLeft, Fit::kDrop}});
  const auto optional_bytes = [](const std::optional<uint64_t>& bytes) {
    return bytes ? Bytes(*bytes) : std::string();
  };
  for (const FormatSummary& format : summary.formats) {
    const bool sampled = format.surveyed_files < format.files;
    table.AddRow({std::string(NameOf(format.format)), FormatCount(format.files),
                  Bytes(format.bytes), (sampled ? "~" : "") + FormatCount(format.estimated_records),
                  Bytes(static_cast<uint64_t>(format.record_bytes_mean)),
                  optional_bytes(format.record_bytes_least),
                  optional_bytes(format.record_bytes_most), CompressionOf(format)});
  }
  return table.Render(style);
}

std::string Range(uint64_t least, uint64_t most) {
  return least == most ? FormatCount(least)
                       : fmt::format("{} – {}", FormatCount(least), FormatCount(most));
}

std::string Features(const FormatSummary& format, const Style& style) {
  const ExampleSurvey& survey = format.examples;
  if (survey.examples() == 0) return "";
  const Speaker say(style);
  Table table(say("data.heading.feature"),
              {{"", Align::kLeft, Fit::kShorten},
               {say("data.column.type"), Align::kLeft, Fit::kKeep},
               {say("data.column.values"), Align::kRight, Fit::kKeep},
               {say("data.column.bytes-each"), Align::kRight, Fit::kKeep},
               {say("data.column.in"), Align::kRight, Fit::kKeep}});
  for (const auto& [name, facts] : survey.features()) {
    const bool bytes = facts.type == FeatureType::kBytes && facts.most > 0;
    std::string type(NameOf(facts.type));
    if (facts.sequence) type = say("data.sequence", type);
    if (facts.mixed_types) type = say("data.mixed", type);
    table.AddRow({name, type, Range(facts.least, facts.most),
                  bytes ? Range(facts.least_bytes, facts.most_bytes) : "",
                  FormatPercent(static_cast<int64_t>(facts.records),
                                static_cast<int64_t>(survey.examples())) +
                      " %"});
  }
  return table.Render(style) + "  " + say("data.looked-into", survey.records()) + "\n";
}

std::string Columns(const FormatSummary& format, const Style& style) {
  if (format.columns.empty()) return "";
  const Speaker say(style);
  Table table(say("data.heading.column"),
              {{"", Align::kLeft, Fit::kShorten},
               {say("data.column.type"), Align::kLeft, Fit::kKeep},
               {say("data.column.values"), Align::kRight, Fit::kKeep},
               {say("data.column.on-disk"), Align::kRight, Fit::kKeep},
               {say("data.column.in-memory"), Align::kRight, Fit::kKeep},
               {say("data.column.codec"), Align::kLeft, Fit::kDrop}});
  for (const ParquetFooter::Column& column : format.columns) {
    table.AddRow({column.path, column.type, FormatCount(column.values), Bytes(column.compressed),
                  Bytes(column.uncompressed), column.codec});
  }
  return table.Render(style);
}

std::string Arrays(const FormatSummary& format, const Style& style) {
  if (format.arrays.empty()) return "";
  const Speaker say(style);
  Table table(say("data.heading.array"), {{"", Align::kLeft, Fit::kShorten},
                                          {say("data.column.type"), Align::kLeft, Fit::kKeep},
                                          {say("data.column.shape"), Align::kLeft, Fit::kKeep},
                                          {say("data.column.bytes"), Align::kRight, Fit::kKeep}});
  for (const NamedArray& array : format.arrays) {
    table.AddRow({array.name, array.type,
                  array.shape.empty() ? "" : fmt::format("{}", fmt::join(array.shape, " x ")),
                  Bytes(array.bytes)});
  }
  return table.Render(style);
}

std::string Members(const FormatSummary& format, const Style& style) {
  if (format.tar_extensions.empty()) return "";
  const Speaker say(style);
  Table table(say("data.heading.member"), {{"", Align::kLeft, Fit::kShorten},
                                           {say("data.column.count"), Align::kRight, Fit::kKeep}});
  for (const auto& [name, count] : format.tar_extensions) {
    table.AddRow({"." + name, FormatCount(count)});
  }
  return table.Render(style);
}

std::string Verdicts(const DatasetSummary& summary, const Style& style) {
  std::string out;
  if (summary.many_small_files || summary.small_files) {
    out += Line(style, summary.many_small_files ? Color::kRed : Color::kYellow, "!",
                Say("data.many-small", summary.files, Bytes(summary.median_file_bytes)));
  }
  if (summary.empty_files > 0) {
    out += Line(style, Color::kYellow, "!", Say("data.empty-files", summary.empty_files));
  }
  constexpr size_t kShown = 20;
  for (size_t i = 0; i < std::min(kShown, summary.damage.size()); ++i) {
    out += DamageLine(style, summary.damage[i]);
  }
  if (summary.damage.size() > kShown) {
    out += "  " + style.Say(Say("data.more-faults", summary.damage.size() - kShown)) + "\n";
  }
  for (const FormatSummary& format : summary.formats) {
    if (format.format == DatasetFormat::kTfRecord && format.surveyed_files < format.files) {
      out += Line(style, Color::kYellow, "~",
                  Say("data.estimated", format.surveyed_files, format.files));
    }
  }
  return out;
}

std::string Speeds(const DatasetReport& report, const Style& style) {
  if (report.speeds.empty()) return "";
  const Speaker say(style);
  Table table(say("data.heading.reading"),
              {{"", Align::kLeft, Fit::kKeep},
               {say("data.column.threads"), Align::kRight, Fit::kKeep},
               {say("data.column.rate"), Align::kRight, Fit::kKeep},
               {say("data.column.records-rate"), Align::kRight, Fit::kKeep},
               {say("data.column.read"), Align::kRight, Fit::kKeep}});
  const double record = report.summary.BytesPerRecord();
  bool warm_pages = false;
  for (const ReadSpeed& speed : report.speeds) {
    const bool cold = speed.cache == ReadSpeed::Cache::kCold;
    warm_pages |= cold && speed.resident.value_or(1) > 0.05;
    table.AddRow(
        {say("data.how-read", cold ? say("data.cold") : say("data.warm"),
             speed.pattern == ReadSpeed::Pattern::kSequential ? say("data.sequential")
                                                              : say("data.random")),
         std::to_string(speed.threads), fmt::format("{:.0f}", speed.BytesPerSecond() / 1e6),
         record > 0 ? FormatCount(static_cast<uint64_t>(speed.BytesPerSecond() / record)) : "",
         Bytes(speed.bytes)});
  }
  std::string out = table.Render(style);
  if (warm_pages) {
    out += Line(style, Color::kYellow, "~", Say("data.not-cold"));
  }
  return out;
}

std::string Need(const DatasetReport& report, const Style& style) {
  if (!report.need) return "";
  const DiskNeed& need = *report.need;
  const Message source =
      report.step_source.empty() ? Message() : Say("data.step-source", report.step_source);
  std::string out =
      style.Say(Say("data.needed", Rate(need.bytes_per_second), need.records_per_second,
                    Bytes(static_cast<uint64_t>(need.bytes_per_record)), need.batch,
                    need.step_seconds * 1e3, source)) +
      "\n";
  using Verdict = DiskNeed::Verdict;
  switch (need.verdict) {
    case Verdict::kNotMeasured:
      out += style.Say(Say("data.not-measured")) + "\n";
      break;
    case Verdict::kSuffices:
      out += Line(style, Color::kGreen, "✔",
                  Say("data.suffices", Rate(*need.measured), *need.share * 100));
      break;
    case Verdict::kTight:
      out += Line(style, Color::kYellow, "!",
                  Say("data.tight", Rate(*need.measured), *need.share * 100));
      break;
    case Verdict::kTooSlow:
      out += Line(style, Color::kRed, "✗", Say("data.too-slow", Rate(*need.measured), *need.share));
      break;
  }
  for (const DiskClass& kind : need.classes) {
    out += Line(style, kind.suffices ? Color::kGreen : Color::kRed, kind.suffices ? "✔" : "✗",
                Say("data.disk", kind.name, Rate(kind.bytes_per_second)));
  }
  if (need.memory_bytes > 0) {
    const std::string set = Bytes(need.dataset_bytes), memory = Bytes(need.memory_bytes);
    out += style.Say(need.fits_in_memory ? Say("data.fits", set, memory)
                                         : Say("data.does-not-fit", set, memory)) +
           "\n";
  }
  return out;
}

}  // namespace

std::string DatasetText(const DatasetReport& report, const Style& style) {
  const DatasetSummary& summary = report.summary;
  std::string out = style.Say(Say("data.summary", summary.files, Bytes(summary.bytes),
                                  Bytes(summary.median_file_bytes))) +
                    "\n\n";
  const auto add = [&](const std::string& part) {
    if (!part.empty()) out += part + "\n";
  };
  add(Formats(summary, style));
  add(Histogram(summary, style));
  for (const FormatSummary& format : summary.formats) {
    add(Features(format, style));
    add(Columns(format, style));
    add(Arrays(format, style));
    add(Members(format, style));
    if (!format.classes.empty()) {
      add(style.Say(Say("data.classes", format.classes.size())) + "\n");
    }
  }
  add(Speeds(report, style));
  add(Need(report, style));
  add(Verdicts(summary, style));
  out.pop_back();
  return out;
}

std::string VerifyText(const std::vector<VerifiedFile>& files, const Style& style) {
  std::string out;
  uint64_t records = 0;
  uint64_t bytes = 0;
  uint64_t faults = 0;
  for (const VerifiedFile& file : files) {
    records += file.records;
    bytes += file.bytes;
    faults += file.damage.size();
    for (const DatasetDamage& damage : file.damage) {
      out += DamageLine(style, damage);
    }
  }
  return out + Line(style, faults == 0 ? Color::kGreen : Color::kRed, faults == 0 ? "✔" : "✗",
                    Say("data.verified", records, files.size(), Bytes(bytes),
                        faults == 0 ? Say("data.crc-holds") : Say("data.faults", faults)));
}

}  // namespace stepscope
