#pragma once

#include <cstdint>
#include <map>
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
  // TensorFlow 2 writes every scalar as an event of its own: its values join those of their step.
  enum class Tensors : uint8_t { kSkip, kJoin };

  explicit EvalMetrics(Tensors tensors) : tensors_(tensors) {}

  // Reads around damage, which is reported by damage(). An Error if the file cannot be opened.
  Result<void> AddFile(const std::string& path);

  const std::map<int64_t, std::vector<Value>>& steps() const { return steps_; }
  std::string_view Text(StringId tag) const { return tags_[tag]; }
  size_t tag_limit() const { return tags_.size(); }
  // Scalars of TensorFlow 2 that were skipped.
  uint64_t skipped_tensors() const { return skipped_tensors_; }
  const std::vector<FileDamage>& damage() const { return damage_; }

 private:
  void AddSummary(int64_t step, std::string_view summary);

  const Tensors tensors_;
  StringTable tags_;
  std::map<int64_t, std::vector<Value>> steps_;
  std::vector<bool> scalar_tags_;  // by StringId: its metadata said so
  std::vector<Value> values_;      // of one event
  uint64_t skipped_tensors_ = 0;
  std::vector<FileDamage> damage_;
};

}  // namespace stepscope
