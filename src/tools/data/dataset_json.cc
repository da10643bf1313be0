#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "present/csv.h"
#include "present/json_writer.h"
#include "present/units.h"
#include "tools/data/dataset.h"
#include "words/data.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDataTexts> Say;

constexpr auto kLines = JsonWriter::Layout::kLines;

void WriteDamage(JsonWriter& json, const std::vector<DatasetDamage>& damage) {
  json.Objects("damage", kLines, damage, [&](const DatasetDamage& one) {
    json.Field("file", one.file);
    json.Field("offset", one.offset);
    json.Field("sentence", one.sentence);
  });
}

void WriteFeatures(JsonWriter& json, const ExampleSurvey& survey) {
  json.Objects("features", kLines, survey.features(), [&](const auto& entry) {
    const auto& [name, facts] = entry;
    json.Field("name", name);
    json.Field("type", NameOf(facts.type));
    json.Field("sequence", facts.sequence);
    json.Field("records", facts.records);
    json.Field("least_values", facts.least);
    json.Field("most_values", facts.most);
    if (facts.type == FeatureType::kBytes && facts.most > 0) {
      json.Field("least_bytes", facts.least_bytes);
      json.Field("most_bytes", facts.most_bytes);
    }
  });
}

void WriteFormat(JsonWriter& json, const FormatSummary& format) {
  json.BeginObject(kLines);
  json.Field("format", NameOf(format.format));
  json.Field("files", format.files);
  json.Field("bytes", format.bytes);
  json.Field("surveyed_files", format.surveyed_files);
  json.Field("records", format.estimated_records);
  json.Field("records_are_estimated", format.surveyed_files < format.files);
  json.Field("bytes_per_record", format.record_bytes_mean);
  json.Field("least_record_bytes", format.record_bytes_least);
  json.Field("most_record_bytes", format.record_bytes_most);
  json.Field("uncompressed_bytes", format.uncompressed);
  json.Key("compression");
  json.BeginObject();
  for (const auto& [name, files] : format.compression) json.Field(name, files);
  json.EndObject();
  if (format.examples.examples() > 0) {
    json.Field("examples_looked_into", format.examples.examples());
    WriteFeatures(json, format.examples);
  }
  if (!format.columns.empty()) {
    json.Objects("columns", kLines, format.columns, [&](const ParquetFooter::Column& column) {
      json.Field("path", column.path);
      json.Field("type", column.type);
      json.Field("codec", column.codec);
      json.Field("values", column.values);
      json.Field("compressed_bytes", column.compressed);
      json.Field("uncompressed_bytes", column.uncompressed);
    });
  }
  if (!format.arrays.empty()) {
    json.Objects("arrays", kLines, format.arrays, [&](const NamedArray& array) {
      json.Field("name", array.name);
      json.Field("type", array.type);
      json.Key("shape");
      json.BeginArray();
      for (const int64_t dim : array.shape) json.Value(dim);
      json.EndArray();
      json.Field("bytes", array.bytes);
    });
  }
  if (format.tar_members > 0) {
    json.Field("members", format.tar_members);
    json.Key("extensions");
    json.BeginObject();
    for (const auto& [name, count] : format.tar_extensions) json.Field(name, count);
    json.EndObject();
  }
  if (!format.classes.empty()) json.Field("classes", format.classes.size());
  json.EndObject();
}

void WriteSpeeds(JsonWriter& json, const std::vector<ReadSpeed>& speeds) {
  json.Objects("measured", kLines, speeds, [&](const ReadSpeed& speed) {
    json.Field("cache", speed.cache == ReadSpeed::Cache::kCold ? "cold" : "warm");
    json.Field("pattern",
               speed.pattern == ReadSpeed::Pattern::kSequential ? "sequential" : "random");
    json.Field("threads", speed.threads);
    json.Field("bytes", speed.bytes);
    json.Field("seconds", speed.seconds);
    json.Field("bytes_per_second", speed.BytesPerSecond());
    json.Field("resident_before", speed.resident);
  });
}

void WriteNeed(JsonWriter& json, const DiskNeed& need, const Message& source) {
  using Verdict = DiskNeed::Verdict;
  json.Key("need");
  json.BeginObject(kLines);
  json.Field("step_seconds", need.step_seconds);
  json.Field("step_source", source);
  json.Field("batch", need.batch);
  json.Field("bytes_per_record", need.bytes_per_record);
  json.Field("records_per_second", need.records_per_second);
  json.Field("bytes_per_second", need.bytes_per_second);
  json.Field("measured_bytes_per_second", need.measured);
  json.Field("share_of_measured", need.share);
  // For programs: the same in every language.
  json.Field("verdict", need.verdict == Verdict::kNotMeasured ? "not measured"
                        : need.verdict == Verdict::kSuffices  ? "suffices"
                        : need.verdict == Verdict::kTight     ? "tight"
                                                              : "too slow");
  json.Objects("classes", kLines, need.classes, [&](const DiskClass& kind) {
    json.Field("name", kind.name);
    json.Field("bytes_per_second", kind.bytes_per_second);
    json.Field("suffices", kind.suffices);
  });
  json.Field("memory_bytes", need.memory_bytes);
  json.Field("fits_in_memory", need.fits_in_memory);
  json.EndObject();
}

// A few bytes as text, with what is not printable as \xNN.
std::string Excerpt(std::string_view bytes, size_t most, Language language) {
  std::string out;
  for (const char c : bytes.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    out +=
        std::isprint(byte) != 0 && c != '\\' ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return bytes.size() > most ? Render(Say("data.excerpt", out, bytes.size()), language) : out;
}

template <typename T>
std::string Few(const std::vector<T>& values, Language language) {
  constexpr size_t kMost = 8;
  const std::vector<T> first(
      values.begin(), values.begin() + static_cast<ptrdiff_t>(std::min(kMost, values.size())));
  const std::string text = fmt::format("{}", fmt::join(first, ", "));
  return values.size() > kMost ? Render(Say("data.few", text, values.size()), language) : text;
}

std::string ValuesOf(const Feature& feature, Language language) {
  switch (feature.type) {
    case FeatureType::kInt64:
      return Few(IntegersOf(feature), language);
    case FeatureType::kFloat:
      return Few(FloatsOf(feature), language);
    case FeatureType::kBytes: {
      std::vector<std::string> texts;
      for (size_t i = 0; i < std::min<size_t>(feature.bytes.size(), 9); ++i) {
        texts.push_back(Excerpt(feature.bytes[i], 40, language));
      }
      return Few(texts, language);
    }
  }
  std::unreachable();
}

}  // namespace

std::string DatasetJson(const DatasetReport& report, Language language) {
  const DatasetSummary& summary = report.summary;
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.data/1");
  json.Field("files", summary.files);
  json.Field("bytes", summary.bytes);
  json.Field("median_file_bytes", summary.median_file_bytes);
  json.Field("records", summary.Records());
  json.Field("bytes_per_record", summary.BytesPerRecord());
  json.Field("many_small_files", summary.many_small_files);
  json.Field("empty_files", summary.empty_files);
  json.Key("size_histogram");
  json.BeginArray();
  for (size_t i = 0; i < summary.size_histogram.size(); ++i) {
    json.BeginObject();
    json.Key("below");
    if (i < kSizeLimits.size()) {
      json.Value(kSizeLimits[i]);
    } else {
      json.Value(nullptr);
    }
    json.Field("files", summary.size_histogram[i]);
    json.EndObject();
  }
  json.EndArray();
  json.Key("formats");
  json.BeginArray(kLines);
  for (const FormatSummary& format : summary.formats) WriteFormat(json, format);
  json.EndArray();
  WriteDamage(json, summary.damage);
  if (!report.speeds.empty()) WriteSpeeds(json, report.speeds);
  if (report.need) WriteNeed(json, *report.need, report.step_source);
  json.EndObject();
  return out + "\n";
}

std::string DatasetCsv(const DatasetReport& report) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"format", "files", "bytes", "records", "bytes_per_record"});
  for (const FormatSummary& format : report.summary.formats) {
    csv.Row(NameOf(format.format), format.files, format.bytes, format.estimated_records,
            format.record_bytes_mean);
  }
  return out;
}

std::string RecordText(uint64_t number, std::string_view record, const Style& style) {
  std::string out =
      style.Say(Say("data.record", number, FormatBytes(static_cast<int64_t>(record.size())))) +
      "\n";
  const auto features = ParseExample(record);
  if (!features) return out + "  " + style.Clean(Excerpt(record, 200, style.language)) + "\n";
  for (const Feature& feature : *features) {
    out += fmt::format("  {} ({}): {}\n", style.Clean(feature.name), NameOf(feature.type),
                       style.Clean(ValuesOf(feature, style.language)));
  }
  return out;
}

std::string RecordJson(uint64_t number, std::string_view record, Language language) {
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject();
  json.Field("record", number);
  json.Field("bytes", record.size());
  if (const auto features = ParseExample(record)) {
    json.Key("features");
    json.BeginObject();
    for (const Feature& feature : *features) {
      json.Key(feature.name);
      json.BeginObject();
      json.Field("type", NameOf(feature.type));
      json.Field("count", feature.count);
      json.Key("values");
      json.BeginArray();
      for (const int64_t value : IntegersOf(feature)) json.Value(value);
      for (const float value : FloatsOf(feature)) json.Value(static_cast<double>(value));
      for (const std::string_view value : feature.bytes) json.Value(Excerpt(value, 64, language));
      json.EndArray();
      json.EndObject();
    }
    json.EndObject();
  } else {
    json.Field("excerpt", Excerpt(record, 64, language));
  }
  json.EndObject();
  return out + "\n";
}

std::string VerifyJson(const std::vector<VerifiedFile>& files, Language language) {
  std::string out;
  JsonWriter json(out, language);
  uint64_t faults = 0;
  for (const VerifiedFile& file : files) faults += file.damage.size();
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.data.verify/1");
  json.Field("ok", faults == 0);
  json.Objects("files", kLines, files, [&](const VerifiedFile& file) {
    json.Field("file", file.path);
    json.Field("bytes", file.bytes);
    json.Field("records", file.records);
    json.Field("compression", file.compression);
    WriteDamage(json, file.damage);
  });
  json.EndObject();
  return out + "\n";
}

std::string VerifyCsv(const std::vector<VerifiedFile>& files) {
  std::string out;
  CsvWriter csv(out);
  csv.Header({"file", "bytes", "records", "compression", "faults"});
  for (const VerifiedFile& file : files) {
    csv.Row(file.path, file.bytes, file.records, file.compression, file.damage.size());
  }
  return out;
}

}  // namespace stepscope
