#pragma once

#include <cstdint>
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
  struct Value {
    StringId tag = kEmptyString;
    double value = 0;
  };
  struct Step {
    int64_t step = 0;
    uint32_t first = 0;  // into values
    uint32_t count = 0;
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
  // A tag may come twice; the later value holds.
  std::span<const Value> ValuesOf(const Step& step) const {
    return std::span(values_).subspan(step.first, step.count);
  }
  std::string_view Text(StringId tag) const { return tags_[tag]; }
  size_t tag_limit() const { return tags_.size(); }
  // Scalars of TensorFlow 2 that were skipped.
  uint64_t skipped_tensors() const { return skipped_tensors_; }
  const std::vector<FileDamage>& damage() const { return damage_; }

 private:
  void AddSummary(int64_t step, std::string_view summary);
  StringId TagAt(size_t place, std::string_view text);

  const Tensors tensors_;
  StringTable tags_;
  std::vector<StringId> expected_;  // the tags of the last event: most often those of the next
  std::vector<Step> steps_;
  std::vector<Value> values_;
  std::vector<bool> scalar_tags_;  // by StringId: its metadata said so
  uint64_t skipped_tensors_ = 0;
  std::vector<FileDamage> damage_;
};

}  // namespace stepscope
