#include "read/tfevents/eval_metrics.h"

#include <algorithm>
#include <utility>

#include "io/tfrecord.h"
#include "read/tfevents/event.h"
#include "read/tfevents/series_builder.h"

namespace stepscope {
namespace {

// The last value a tag has stays.
void Set(std::vector<EvalMetrics::Value>& values, EvalMetrics::Value value) {
  const auto at = std::find_if(values.begin(), values.end(), [&](const EvalMetrics::Value& each) {
    return each.tag == value.tag;
  });
  if (at == values.end()) {
    values.push_back(value);
  } else {
    at->value = value.value;
  }
}

}  // namespace

Result<void> EvalMetrics::AddFile(const std::string& path) {
  Result<RecordFile> file = OpenRecordFile(path);
  if (!file) return std::unexpected(std::move(file.error()));
  RecordStream records(*file->bytes);
  for (;;) {
    const RecordStream::Outcome outcome = records.Next();
    if (outcome == RecordStream::Outcome::kEnd) return {};
    if (outcome == RecordStream::Outcome::kDamage) {
      const RecordDamage& damage = records.damage();
      damage_.push_back({path, damage.offset, std::string(SentenceOf(damage.kind))});
      continue;
    }
    Event event;
    if (!ParseEvent(records.data(), event)) {
      damage_.push_back({path, records.offset(), "the record holds but is no Event message"});
    } else if (event.what == EventWhat::kSummary) {
      AddSummary(event.step, event.payload);
    }
  }
}

void EvalMetrics::AddSummary(int64_t step, std::string_view summary) {
  values_.clear();
  SummaryValue value;
  for (SummaryValues values(summary); values.Next(value);) {
    if (value.kind == SummaryValue::Kind::kSimpleValue) {
      Set(values_, {tags_.Intern(value.tag), value.simple_value});
      continue;
    }
    if (value.kind != SummaryValue::Kind::kTensor) continue;
    const StringId tag = tags_.Intern(value.tag);
    if (scalar_tags_.size() <= Index(tag)) scalar_tags_.resize(Index(tag) + 1);
    if (value.has_metadata) scalar_tags_[Index(tag)] = value.plugin == "scalars";
    if (!scalar_tags_[Index(tag)]) continue;
    if (tensors_ == Tensors::kSkip) {
      ++skipped_tensors_;
    } else if (const std::optional<double> number = ScalarOf(value)) {
      Set(steps_[step], {tag, *number});
    }
  }
  if (!values_.empty()) steps_[step].swap(values_);
}

}  // namespace stepscope
