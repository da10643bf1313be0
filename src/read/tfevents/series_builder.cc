#include "read/tfevents/series_builder.h"

#include <algorithm>
#include <cmath>

#include "read/protobuf/tensor_proto.h"
#include "read/tfevents/histogram.h"

namespace stepscope {
namespace {

TagKind KindOfPlugin(std::string_view plugin) {
  if (plugin == "scalars") return TagKind::kScalar;
  if (plugin == "histograms") return TagKind::kHistogram;
  if (plugin == "text") return TagKind::kText;
  if (plugin == "images") return TagKind::kImage;
  if (plugin == "audio") return TagKind::kAudio;
  if (plugin.starts_with("graph_run_metadata")) return TagKind::kRunMetadata;
  return TagKind::kTensor;
}

void Count(const Event& event, TagSeries& series) {
  if (series.count++ == 0) {
    series.first_step = event.step;
    series.first_wall_time = event.wall_time;
  }
  series.last_step = event.step;
  series.last_wall_time = event.wall_time;
}

void AddScalar(const Event& event, double value, bool keep, TagSeries& series) {
  Count(event, series);
  series.last_value = value;
  const ScalarPoint point{event.step, event.wall_time, value};
  if (std::isfinite(value)) {
    series.min = std::min(value, series.min.value_or(value));
    series.max = std::max(value, series.max.value_or(value));
    if (!series.first_not_finite) series.last_finite_before = point;
  } else if (!series.first_not_finite) {
    series.first_not_finite = point;
  }
  if (keep) series.scalars.push_back(point);
}

}  // namespace

std::optional<double> ScalarOf(const SummaryValue& value) {
  if (value.kind == SummaryValue::Kind::kSimpleValue) return value.simple_value;
  const std::vector<double> numbers = NumbersOf(ParseTensorProto(value.payload), 1);
  return numbers.empty() ? std::nullopt : std::optional(numbers[0]);
}

SeriesBuilder::Tag& SeriesBuilder::TagOf(std::string_view name) {
  const size_t at = Index(names_.Intern(name));
  if (at >= tags_.size()) {
    const size_t known = tags_.size();
    tags_.resize(at + 1);
    for (size_t i = known; i <= at; ++i) {
      tags_[i].series.fill(kNone);
      tags_[i].wanted = !options_.wanted || options_.wanted(names_[StringId(i)]);
    }
  }
  return tags_[at];
}

TagSeries& SeriesBuilder::SeriesOf(Tag& tag, std::string_view name, TagKind kind) {
  size_t& at = tag.series[static_cast<size_t>(kind)];
  if (at == kNone) {
    at = series_.size();
    TagSeries& made = series_.emplace_back();
    made.tag = name;
    made.kind = kind;
    made.plugin = tag.plugin;
    made.description = tag.description;
  }
  return series_[at];
}

void SeriesBuilder::NoteMetadata(const SummaryValue& value) {
  if (!value.has_metadata) return;
  Tag& tag = TagOf(value.tag);
  if (!tag.plugin.empty()) return;
  tag.plugin = value.plugin;
  tag.description = value.description;
}

void SeriesBuilder::AddValue(const Event& event, const SummaryValue& value) {
  using Kind = SummaryValue::Kind;
  Tag& tag = TagOf(value.tag);
  if (!tag.wanted) return;
  const bool keep_all = options_.points == ReadRunOptions::Points::kAll;
  switch (value.kind) {
    case Kind::kSimpleValue:
      AddScalar(event, value.simple_value, options_.points != ReadRunOptions::Points::kNone,
                SeriesOf(tag, value.tag, TagKind::kScalar));
      return;
    case Kind::kHistogram: {
      TagSeries& series = SeriesOf(tag, value.tag, TagKind::kHistogram);
      Count(event, series);
      if (keep_all) {
        series.histograms.push_back(
            {event.step, event.wall_time, ParseHistogramProto(value.payload)});
      }
      return;
    }
    case Kind::kTensor:
      AddTensor(event, value, tag);
      return;
    case Kind::kImage:
      Count(event, SeriesOf(tag, value.tag, TagKind::kImage));
      return;
    case Kind::kAudio:
      Count(event, SeriesOf(tag, value.tag, TagKind::kAudio));
      return;
    case Kind::kObsoleteHistogram:
    case Kind::kNothing:
      return;
  }
}

void SeriesBuilder::AddTensor(const Event& event, const SummaryValue& value, Tag& tag) {
  TagKind kind = KindOfPlugin(tag.plugin);
  const TensorProto tensor = ParseTensorProto(value.payload);
  std::vector<double> number;
  if (kind == TagKind::kScalar) {
    number = NumbersOf(tensor, 1);
    if (number.empty()) kind = TagKind::kTensor;
  }
  TagSeries& series = SeriesOf(tag, value.tag, kind);
  if (kind == TagKind::kScalar) {
    AddScalar(event, number[0], options_.points != ReadRunOptions::Points::kNone, series);
    return;
  }
  Count(event, series);
  if (kind == TagKind::kRunMetadata && options_.embedded) {
    for (const std::string_view bytes : StringsOf(tensor)) {
      options_.embedded({kind, value.tag, event.step, bytes});
    }
  }
  if (options_.points != ReadRunOptions::Points::kAll) return;
  if (kind == TagKind::kHistogram) {
    series.histograms.push_back({event.step, event.wall_time, HistogramOfTensor(tensor)});
  } else if (kind == TagKind::kText) {
    const auto strings = StringsOf(tensor);
    series.texts.push_back({event.step, event.wall_time, {strings.begin(), strings.end()}});
  } else if (kind == TagKind::kTensor) {
    series.tensors.push_back({event.step, event.wall_time, std::string(NameOf(tensor.type)),
                              tensor.shape, NumbersOf(tensor, TensorPoint::kMostValues)});
  }
}

void SeriesBuilder::AddMessage(const Event& event, TagKind kind, std::string_view name,
                               std::string_view bytes) {
  Tag& tag = TagOf(name);
  if (!tag.wanted) return;
  Count(event, SeriesOf(tag, name, kind));
  if (options_.embedded) options_.embedded({kind, name, event.step, bytes});
}

}  // namespace stepscope
