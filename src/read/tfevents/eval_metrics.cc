#include "read/tfevents/eval_metrics.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "io/tfrecord.h"
#include "read/protobuf/wire_writer.h"
#include "read/tfevents/event.h"
#include "read/tfevents/series_builder.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

// A summary's scalar as protobuf writes it, up to the four bytes of its number: the value (field 1
// of the summary), in it the tag (1) and the number (2).
std::string BytesBeforeNumber(std::string_view tag) {
  constexpr uint32_t kValue = 1;
  constexpr uint32_t kTag = 1;
  constexpr uint32_t kSimpleValue = 2;
  std::string value;
  WireWriter(value).Bytes(kTag, tag);
  WireWriter(value).Float(kSimpleValue, 0);
  std::string written;
  WireWriter(written).Bytes(kValue, value);
  written.resize(written.size() - sizeof(float));
  return written;
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
      damage_.push_back({path, damage.offset, SentenceOf(damage.kind)});
      continue;
    }
    Event event;
    if (!ParseEvent(records.data(), event)) {
      damage_.push_back({path, records.offset(), Say("read.no-event-message")});
    } else if (event.what == EventWhat::kSummary) {
      AddSummary(event.step, event.payload);
    }
  }
}

// Takes values off the front of a summary as long as they are, but for their numbers, those of the
// event before; returns how many.
size_t EvalMetrics::TakeExpected(std::string_view& summary) {
  size_t taken = 0;
  for (const std::string& before : expected_) {
    float number = 0;
    if (summary.size() < before.size() + sizeof number || !summary.starts_with(before)) break;
    std::memcpy(&number, summary.data() + before.size(), sizeof number);
    values_.push_back(number);
    summary.remove_prefix(before.size() + sizeof number);
    ++taken;
  }
  return taken;
}

void EvalMetrics::Expect(uint32_t list) {
  if (!expected_.empty() && expected_list_ == list) return;
  expected_list_ = list;
  expected_.clear();
  for (const StringId tag : *tag_lists_[list]) expected_.push_back(BytesBeforeNumber(tags_[tag]));
}

uint32_t EvalMetrics::ListOf(TagList tags) {
  const auto next = static_cast<uint32_t>(tag_lists_.size());
  const auto [known, is_new] = list_ids_.try_emplace(std::move(tags), next);
  if (is_new) tag_lists_.push_back(&known->first);
  return known->second;
}

void EvalMetrics::AddSummary(int64_t step, std::string_view summary) {
  const auto first = static_cast<uint32_t>(values_.size());
  const size_t taken = TakeExpected(summary);
  if (taken > 0 && taken == expected_.size() && summary.empty()) {
    steps_.push_back({step, first, expected_list_, false});
    return;
  }
  TagList tags;
  if (taken > 0)
    tags.assign(tag_lists_[expected_list_]->begin(),
                tag_lists_[expected_list_]->begin() + static_cast<ptrdiff_t>(taken));
  const bool joins = AddValues(summary, tags);
  if (tags.empty()) return;
  const uint32_t list = ListOf(std::move(tags));
  if (!joins) Expect(list);
  steps_.push_back({step, first, list, joins});
}

// Whether tensors of TensorFlow 2 were among them.
bool EvalMetrics::AddValues(std::string_view summary, TagList& tags) {
  bool joins = false;
  SummaryValue value;
  for (SummaryValues values(summary); values.Next(value);) {
    if (value.kind == SummaryValue::Kind::kSimpleValue) {
      tags.push_back(tags_.Intern(value.tag));
      values_.push_back(value.simple_value);
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
      tags.push_back(tag);
      values_.push_back(*number);
      joins = true;
    }
  }
  return joins;
}

void EvalMetrics::Finish() {
  if (std::ranges::adjacent_find(steps_, std::ranges::greater_equal(), &Step::step) ==
      steps_.end()) {
    return;  // as most files have them
  }
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
      TagList tags;
      for (const Step& part : {last.back(), step}) {
        const TagList& own = *tag_lists_[part.tags];
        tags.insert(tags.end(), own.begin(), own.end());
        for (size_t i = 0; i < own.size(); ++i) values_.push_back(double{values_[part.first + i]});
      }
      last.back() = {step.step, first, ListOf(std::move(tags)), true};
    }
  }
  steps_.swap(last);
}

}  // namespace stepscope
