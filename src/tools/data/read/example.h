#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

enum class FeatureType : uint8_t { kBytes, kFloat, kInt64 };
std::string_view NameOf(FeatureType type);

// One feature of a tf.train.Example; views into the record.
struct Feature {
  std::string_view name;
  FeatureType type = FeatureType::kBytes;
  uint64_t count = 0;                   // values
  std::vector<std::string_view> bytes;  // of a bytes feature
  std::string_view list;                // the serialized BytesList, FloatList or Int64List
  bool sequence = false;                // from a SequenceExample's feature lists
};
std::vector<int64_t> IntegersOf(const Feature& feature);
std::vector<float> FloatsOf(const Feature& feature);

// The features of an Example or SequenceExample; nullopt when the record is neither.
std::optional<std::vector<Feature>> ParseExample(std::string_view record);

// What a sample of records has in common.
class ExampleSurvey {
 public:
  struct FeatureFacts {
    FeatureType type = FeatureType::kBytes;
    bool sequence = false;
    uint64_t records = 0;                               // that have it
    uint64_t least = UINT64_MAX, most = 0;              // values in a record
    uint64_t least_bytes = UINT64_MAX, most_bytes = 0;  // of one value of a bytes feature
    bool mixed_types = false;
  };

  void Add(std::string_view record);
  void Merge(const ExampleSurvey& other);
  uint64_t records() const { return records_; }
  uint64_t examples() const { return examples_; }
  const std::map<std::string, FeatureFacts>& features() const { return features_; }

 private:
  uint64_t records_ = 0;
  uint64_t examples_ = 0;
  std::map<std::string, FeatureFacts> features_;
};

}  // namespace stepscope
