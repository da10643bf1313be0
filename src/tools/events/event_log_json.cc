#include <cmath>

#include "present/json_writer.h"
#include "read/tfevents/histogram.h"
#include "tools/events/event_log.h"

namespace stepscope {
namespace {

// JSON has no NaN and no infinities: they are the strings "nan", "inf" and "-inf".
void Number(JsonWriter& json, double value) {
  if (std::isfinite(value)) {
    json.Value(value);
  } else {
    json.Value(FormatValue(value));
  }
}
void Number(JsonWriter& json, const std::optional<double>& value) {
  if (value) {
    Number(json, *value);
  } else {
    json.Value(nullptr);
  }
}

template <typename Point, typename Write>
void Series(JsonWriter& json, const TagSeries& series, const std::vector<Point>& points,
            Write&& write) {
  json.BeginObject();
  json.Field("tag", series.tag);
  if (!series.plugin.empty()) json.Field("plugin", series.plugin);
  if (!series.description.empty()) json.Field("description", series.description);
  json.Key("points");
  json.BeginArray();
  for (const Point& point : points) {
    json.BeginArray();
    json.Value(point.step);
    Number(json, point.wall_time);
    write(point);
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
}

template <typename Points, typename Write>
void AllOfKind(JsonWriter& json, const char* key, const RunLog& run, TagKind kind, Points points,
               Write&& write) {
  json.Key(key);
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const TagSeries& series : run.tags) {
    if (series.kind == kind) Series(json, series, series.*points, write);
  }
  json.EndArray();
}

void WriteHistogram(JsonWriter& json, const Histogram& histogram) {
  json.BeginObject();
  for (const auto& [key, value] :
       {std::pair("min", histogram.min), {"max", histogram.max}, {"num", histogram.num}}) {
    json.Key(key);
    Number(json, value);
  }
  if (histogram.sum) {
    json.Key("sum");
    Number(json, histogram.sum);
    json.Key("sum_squares");
    Number(json, histogram.sum_squares);
  }
  json.Key("buckets");
  json.BeginArray();
  for (const Histogram::Bucket& bucket : histogram.buckets) {
    json.BeginArray();
    for (const double value : {bucket.left, bucket.right, bucket.count}) Number(json, value);
    json.EndArray();
  }
  json.EndArray();
  json.Key("distribution");
  json.BeginArray();
  for (const double value : DistributionOf(histogram)) Number(json, value);
  json.EndArray();
  json.EndObject();
}

void WriteTensor(JsonWriter& json, const TensorPoint& point) {
  json.BeginObject();
  json.Field("dtype", point.type);
  json.Key("shape");
  json.BeginArray();
  for (const int64_t dim : point.shape) json.Value(dim);
  json.EndArray();
  json.Key("values");
  json.BeginArray();
  for (const double value : point.values) Number(json, value);
  json.EndArray();
  json.EndObject();
}

void WriteTags(JsonWriter& json, const RunLog& run) {
  json.Objects("tags", JsonWriter::Layout::kLines, run.tags, [&](const TagSeries& series) {
    json.Field("tag", series.tag);
    json.Field("kind", NameOf(series.kind));
    json.Field("count", series.count);
    if (!series.plugin.empty()) json.Field("plugin", series.plugin);
    json.Field("first_step", series.first_step);
    json.Field("last_step", series.last_step);
    if (series.kind == TagKind::kScalar) {
      json.Key("last_value");
      Number(json, series.last_value);
      json.Key("min");
      Number(json, series.min);
      json.Key("max");
      Number(json, series.max);
    }
  });
}

void WriteFaults(JsonWriter& json, const RunLog& run) {
  json.Objects("damage", JsonWriter::Layout::kLines, run.damage, [&](const FileDamage& damage) {
    json.Field("file", damage.file);
    json.Field("offset", damage.offset);
    json.Field("sentence", damage.sentence);
  });
  json.Objects("restarts", JsonWriter::Layout::kLines, run.restarts, [&](const Restart& restart) {
    json.Field("step", restart.step);
    json.Key("wall_time");
    Number(json, restart.wall_time);
    json.Field("file", restart.file);
    json.Field("offset", restart.offset);
    json.Field("hidden", restart.hidden);
    json.Field("tensorboard_drops_more", !restart.hides);
    json.Field("sentence", SentenceOf(restart, run.name));
  });
  json.Objects("files", JsonWriter::Layout::kLines, run.files, [&](const EventFile& file) {
    json.Field("file", file.path);
    json.Field("bytes", file.bytes);
    json.Field("events", file.events);
    json.Field("state", file.cut_bytes > 0 ? "still being written" : "complete");
    if (file.cut_bytes > 0) json.Field("cut_at", file.cut_at);
    if (file.events_after_damage > 0) {
      json.Field("events_that_tensorboard_drops", file.events_after_damage);
    }
  });
}

void WriteRate(JsonWriter& json, const RunRate& one) {
  json.Key("rate");
  json.BeginObject();
  json.Field("tag", one.tag);
  json.Field("steps", one.rate.steps);
  json.Field("seconds", one.rate.seconds);
  json.Field("steps_per_second", one.rate.steps_per_second);
  json.Field("median_steps_per_second", one.rate.median);
  json.Objects("slow", one.rate.slow, [&](const SlowPeriod& period) {
    json.Field("first_step", period.first_step);
    json.Field("last_step", period.last_step);
    json.Field("start", period.start);
    json.Field("seconds", period.seconds);
    json.Field("steps_per_second", period.steps_per_second);
    json.Field("times_slower", period.times_slower);
  });
  json.EndObject();
}

}  // namespace

std::string EventLogJson(const std::vector<RunLog>& runs, const std::vector<RunRate>& rates,
                         Language language) {
  std::string out;
  JsonWriter json(out, language);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.events/1");
  json.Key("runs");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const RunLog& run : runs) {
    json.BeginObject(JsonWriter::Layout::kLines);
    json.Field("run", run.name);
    AllOfKind(json, "scalars", run, TagKind::kScalar, &TagSeries::scalars,
              [&](const ScalarPoint& point) { Number(json, point.value); });
    AllOfKind(json, "histograms", run, TagKind::kHistogram, &TagSeries::histograms,
              [&](const HistogramPoint& point) { WriteHistogram(json, point.histogram); });
    AllOfKind(json, "texts", run, TagKind::kText, &TagSeries::texts, [&](const TextPoint& point) {
      json.BeginArray();
      for (const std::string& text : point.strings) json.Value(text);
      json.EndArray();
    });
    AllOfKind(json, "tensors", run, TagKind::kTensor, &TagSeries::tensors,
              [&](const TensorPoint& point) { WriteTensor(json, point); });
    WriteTags(json, run);
    for (const RunRate& rate : rates) {
      if (rate.run == run.name) WriteRate(json, rate);
    }
    WriteFaults(json, run);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  out += "\n";
  return out;
}

}  // namespace stepscope
