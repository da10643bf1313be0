#include "tools/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "present/table.h"
#include "present/units.h"

namespace stepscope {
namespace {

std::string Bytes(uint64_t bytes) { return FormatBytes(static_cast<int64_t>(bytes)); }
std::string Rate(double bytes_per_second) {
  return fmt::format("{:.0f} MB/s", bytes_per_second / 1e6);
}

std::string Line(const Style& style, Color color, const char* mark, const std::string& text) {
  return fmt::format("{} {}\n", style.Paint(color, style.Clean(mark)), style.Clean(text));
}

std::string Histogram(const DatasetSummary& summary, const Style& style) {
  static constexpr std::array kNames{"below 4 KiB",   "4 – 64 KiB",   "64 KiB – 1 MiB",
                                     "1 – 16 MiB",    "16 – 256 MiB", "256 MiB – 1 GiB",
                                     "1 GiB and more"};
  Table table("file sizes", {{"", Align::kLeft, Fit::kKeep},
                             {"files", Align::kRight, Fit::kKeep},
                             {"", Align::kLeft, Fit::kBar}});
  const uint64_t most = std::ranges::max(summary.size_histogram);
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (summary.size_histogram[i] == 0) continue;
    table.AddRow({kNames[i], FormatCount(summary.size_histogram[i]),
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
  Table table("format", {{"", Align::kLeft, Fit::kKeep},
                         {"files", Align::kRight, Fit::kKeep},
                         {"size", Align::kRight, Fit::kKeep},
                         {"records", Align::kRight, Fit::kKeep},
                         {"bytes/record", Align::kRight, Fit::kKeep},
                         {"smallest", Align::kRight, Fit::kDrop},
                         {"largest", Align::kRight, Fit::kDrop},
                         {"compression", Align::kLeft, Fit::kDrop}});
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
  Table table("feature", {{"", Align::kLeft, Fit::kShorten},
                          {"type", Align::kLeft, Fit::kKeep},
                          {"values", Align::kRight, Fit::kKeep},
                          {"bytes each", Align::kRight, Fit::kKeep},
                          {"in", Align::kRight, Fit::kKeep}});
  for (const auto& [name, facts] : survey.features()) {
    const bool bytes = facts.type == FeatureType::kBytes && facts.most > 0;
    table.AddRow({name,
                  fmt::format("{}{}{}", NameOf(facts.type), facts.sequence ? " sequence" : "",
                              facts.mixed_types ? " (mixed)" : ""),
                  Range(facts.least, facts.most),
                  bytes ? Range(facts.least_bytes, facts.most_bytes) : "",
                  FormatPercent(static_cast<int64_t>(facts.records),
                                static_cast<int64_t>(survey.examples())) +
                      " %"});
  }
  return table.Render(style) +
         fmt::format("  from {} looked into\n", Plural(survey.records(), "record", "records"));
}

std::string Columns(const FormatSummary& format, const Style& style) {
  if (format.columns.empty()) return "";
  Table table("column", {{"", Align::kLeft, Fit::kShorten},
                         {"type", Align::kLeft, Fit::kKeep},
                         {"values", Align::kRight, Fit::kKeep},
                         {"on disk", Align::kRight, Fit::kKeep},
                         {"in memory", Align::kRight, Fit::kKeep},
                         {"codec", Align::kLeft, Fit::kDrop}});
  for (const ParquetFooter::Column& column : format.columns) {
    table.AddRow({column.path, column.type, FormatCount(column.values), Bytes(column.compressed),
                  Bytes(column.uncompressed), column.codec});
  }
  return table.Render(style);
}

std::string Arrays(const FormatSummary& format, const Style& style) {
  if (format.arrays.empty()) return "";
  Table table("array", {{"", Align::kLeft, Fit::kShorten},
                        {"type", Align::kLeft, Fit::kKeep},
                        {"shape", Align::kLeft, Fit::kKeep},
                        {"bytes", Align::kRight, Fit::kKeep}});
  for (const NamedArray& array : format.arrays) {
    table.AddRow({array.name, array.type,
                  array.shape.empty() ? "" : fmt::format("{}", fmt::join(array.shape, " x ")),
                  Bytes(array.bytes)});
  }
  return table.Render(style);
}

std::string Members(const FormatSummary& format, const Style& style) {
  if (format.tar_extensions.empty()) return "";
  Table table("member", {{"", Align::kLeft, Fit::kShorten}, {"count", Align::kRight, Fit::kKeep}});
  for (const auto& [name, count] : format.tar_extensions) {
    table.AddRow({"." + name, FormatCount(count)});
  }
  return table.Render(style);
}

std::string Verdicts(const DatasetSummary& summary, const Style& style) {
  std::string out;
  if (summary.many_small_files || summary.small_files) {
    out += Line(style, summary.many_small_files ? Color::kRed : Color::kYellow, "!",
                fmt::format("{} files with a median of {}: opening them costs more than reading "
                            "them. Pack them: stepscope data pack SRC -o DIR --shard-mb 100",
                            FormatCount(summary.files), Bytes(summary.median_file_bytes)));
  }
  if (summary.empty_files > 0) {
    out += Line(style, Color::kYellow, "!",
                Plural(summary.empty_files, "file is empty", "files are empty"));
  }
  constexpr size_t kShown = 20;
  for (size_t i = 0; i < std::min(kShown, summary.damage.size()); ++i) {
    const DatasetDamage& damage = summary.damage[i];
    out += Line(
        style, Color::kRed, "✗",
        fmt::format("{} at byte {}: {}", damage.file, damage.offset, style.Say(damage.sentence)));
  }
  if (summary.damage.size() > kShown) {
    out += fmt::format("  and {} more faults\n", summary.damage.size() - kShown);
  }
  for (const FormatSummary& format : summary.formats) {
    if (format.format == DatasetFormat::kTfRecord && format.surveyed_files < format.files) {
      out += Line(style, Color::kYellow, "~",
                  fmt::format("{} of {} TFRecord files were read; the rest is estimated from their "
                              "sizes (--full reads all).",
                              FormatCount(format.surveyed_files), FormatCount(format.files)));
    }
  }
  return out;
}

std::string Speeds(const DatasetReport& report, const Style& style) {
  if (report.speeds.empty()) return "";
  Table table("reading", {{"", Align::kLeft, Fit::kKeep},
                          {"threads", Align::kRight, Fit::kKeep},
                          {"MB/s", Align::kRight, Fit::kKeep},
                          {"records/s", Align::kRight, Fit::kKeep},
                          {"read", Align::kRight, Fit::kKeep}});
  const double record = report.summary.BytesPerRecord();
  bool warm_pages = false;
  for (const ReadSpeed& speed : report.speeds) {
    const bool cold = speed.cache == ReadSpeed::Cache::kCold;
    warm_pages |= cold && speed.resident.value_or(1) > 0.05;
    table.AddRow(
        {fmt::format("{}, {}", cold ? "cold" : "warm",
                     speed.pattern == ReadSpeed::Pattern::kSequential ? "sequential" : "random"),
         std::to_string(speed.threads), fmt::format("{:.0f}", speed.BytesPerSecond() / 1e6),
         record > 0 ? FormatCount(static_cast<uint64_t>(speed.BytesPerSecond() / record)) : "",
         Bytes(speed.bytes)});
  }
  std::string out = table.Render(style);
  if (warm_pages) {
    out += Line(style, Color::kYellow, "~",
                "the kernel would not forget all pages: the cold numbers are partly from memory");
  }
  return out;
}

std::string Need(const DatasetReport& report, const Style& style) {
  if (!report.need) return "";
  const DiskNeed& need = *report.need;
  std::string out = fmt::format(
      "needed: {} = {:.0f} records/s of {} each (batch {:.0f} every {:.1f} ms{})\n",
      Rate(need.bytes_per_second), need.records_per_second,
      Bytes(static_cast<uint64_t>(need.bytes_per_record)), need.batch, need.step_seconds * 1e3,
      report.step_source.empty() ? "" : ", " + report.step_source);
  using Verdict = DiskNeed::Verdict;
  switch (need.verdict) {
    case Verdict::kNotMeasured:
      out += "measured: not yet (--measure reads the files)\n";
      break;
    case Verdict::kSuffices:
      out += Line(style, Color::kGreen, "✔",
                  fmt::format("this disk suffices: {} measured, {:.0f} % of it needed",
                              Rate(*need.measured), *need.share * 100));
      break;
    case Verdict::kTight:
      out += Line(style, Color::kYellow, "!",
                  fmt::format("tight: {} measured, {:.0f} % of it needed", Rate(*need.measured),
                              *need.share * 100));
      break;
    case Verdict::kTooSlow:
      out += Line(style, Color::kRed, "✗",
                  fmt::format("too slow: {} measured, {:.1f} times that needed",
                              Rate(*need.measured), *need.share));
      break;
  }
  for (const DiskClass& kind : need.classes) {
    out += Line(style, kind.suffices ? Color::kGreen : Color::kRed, kind.suffices ? "✔" : "✗",
                fmt::format("{} ({})", kind.name, Rate(kind.bytes_per_second)));
  }
  if (need.memory_bytes > 0) {
    out += fmt::format("the set ({}) {} into memory ({})\n", Bytes(need.dataset_bytes),
                       need.fits_in_memory ? "fits" : "does not fit", Bytes(need.memory_bytes));
  }
  return out;
}

}  // namespace

std::string DatasetText(const DatasetReport& report, const Style& style) {
  const DatasetSummary& summary = report.summary;
  std::string out = fmt::format("{}, {}, median {}\n\n", Plural(summary.files, "file", "files"),
                                Bytes(summary.bytes), Bytes(summary.median_file_bytes));
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
      add(fmt::format("{} in folders of their own\n",
                      Plural(format.classes.size(), "class", "classes")));
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
      out += Line(
          style, Color::kRed, "✗",
          fmt::format("{} at byte {}: {}", damage.file, damage.offset, style.Say(damage.sentence)));
    }
  }
  return out +
         Line(style, faults == 0 ? Color::kGreen : Color::kRed, faults == 0 ? "✔" : "✗",
              fmt::format("{} in {} ({}): {}", Plural(records, "record", "records"),
                          Plural(files.size(), "file", "files"), Bytes(bytes),
                          faults == 0 ? "every CRC holds" : Plural(faults, "fault", "faults")));
}

}  // namespace stepscope
