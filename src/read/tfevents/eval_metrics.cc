#include "read/tfevents/eval_metrics.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "io/tfrecord.h"
#include "read/tfevents/event.h"
#include "read/tfevents/series_builder.h"

namespace stepscope {

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

StringId EvalMetrics::TagAt(size_t place, std::string_view text) {
  if (place < expected_.size() && tags_[expected_[place]] == text) return expected_[place];
  const StringId tag = tags_.Intern(text);
  expected_.resize(std::max(expected_.size(), place + 1));
  expected_[place] = tag;
  return tag;
}

void EvalMetrics::AddSummary(int64_t step, std::string_view summary) {
  const auto first = static_cast<uint32_t>(values_.size());
  size_t place = 0;
  bool joins = false;
  SummaryValue value;
  for (SummaryValues values(summary); values.Next(value);) {
    if (value.kind == SummaryValue::Kind::kSimpleValue) {
      values_.push_back({TagAt(place++, value.tag), value.simple_value});
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
      // Events of this kind hold one value; a mixture of both kinds in one event joins as a whole.
      values_.push_back({tag, *number});
      joins = true;
    }
  }
  const auto count = static_cast<uint32_t>(values_.size()) - first;
  if (count > 0) steps_.push_back({step, first, count, joins});
}

void EvalMetrics::Finish() {
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const Step& a, const Step& b) { return a.step < b.step; });
  std::vector<Step> last;
  last.reserve(steps_.size());
  for (const Step& step : steps_) {
    if (last.empty() || last.back().step != step.step) {
      last.push_back(step);
    } else if (!step.joins) {
      last.back() = step;
    } else {
      // Both end to end, behind everything else.
      const auto first = static_cast<uint32_t>(values_.size());
      for (const Step& part : {last.back(), step}) {
        for (uint32_t i = 0; i < part.count; ++i) values_.push_back(Value(values_[part.first + i]));
      }
      last.back() = {step.step, first, static_cast<uint32_t>(values_.size()) - first, true};
    }
  }
  steps_.swap(last);
}

}  // namespace stepscope
