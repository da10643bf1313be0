#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/string_table.h"
#include "read/tfevents/run_log.h"

namespace stepscope {

// The last summary with numbers of every step: what evaluation loops write. Values that one event
// wrote stay together, and a later event of the same step takes the place of the earlier one.
class EvalMetrics {
 public:
  struct Step {
    int64_t step = 0;
    uint32_t first = 0;  // into values
    uint32_t tags = 0;   // which list of tags; most steps have the same
    bool joins = false;  // adds to what the step has
  };
  // TensorFlow 2 writes every scalar as an event of its own: its values join those of their step.
  enum class Tensors : uint8_t { kSkip, kJoin };

  explicit EvalMetrics(Tensors tensors) : tensors_(tensors) {}

  // Reads around damage, which is reported by damage(). An Error if the file cannot be opened.
  Result<void> AddFile(const std::string& path);
  // After the last file: steps ascending, each once.
  void Finish();

  std::span<const Step> steps() const { return steps_; }
  // The tags of a step and their values, one each. A tag may come twice; the later value holds.
  std::span<const StringId> TagsOf(const Step& step) const { return *tag_lists_[step.tags]; }
  std::span<const double> ValuesOf(const Step& step) const {
    return std::span(values_).subspan(step.first, TagsOf(step).size());
  }
  size_t tag_list_limit() const { return tag_lists_.size(); }
  std::string_view Text(StringId tag) const { return tags_[tag]; }
  // Scalars of TensorFlow 2 that were skipped.
  uint64_t skipped_tensors() const { return skipped_tensors_; }
  const std::vector<FileDamage>& damage() const { return damage_; }

 private:
  using TagList = std::vector<StringId>;

  void AddSummary(int64_t step, std::string_view summary);
  // Reads what is left of a summary behind the values it begins with.
  bool AddValues(std::string_view summary, TagList& tags);
  size_t TakeExpected(std::string_view& summary);
  void Expect(uint32_t list);
  uint32_t ListOf(TagList tags);

  const Tensors tensors_;
  StringTable tags_;
  std::map<TagList, uint32_t> list_ids_;
  std::vector<const TagList*> tag_lists_;  // keys of list_ids_
  // The tags of the last event are most often those of the next: for each the bytes that writers
  // put before its number.
  uint32_t expected_list_ = 0;
  std::vector<std::string> expected_;
  std::vector<Step> steps_;
  std::vector<double> values_;
  std::vector<bool> scalar_tags_;  // by StringId: its metadata said so
  uint64_t skipped_tensors_ = 0;
  std::vector<FileDamage> damage_;
};

}  // namespace stepscope
