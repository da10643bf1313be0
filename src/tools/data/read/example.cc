#include "tools/data/read/example.h"

#include <algorithm>
#include <utility>

#include "read/protobuf/walk.h"
#include "read/protobuf/wire.h"

namespace stepscope {
namespace {

uint64_t CountVarints(std::string_view packed) {
  return static_cast<uint64_t>(
      std::ranges::count_if(packed, [](char c) { return static_cast<uint8_t>(c) < 0x80; }));
}

// A BytesList, FloatList or Int64List; all have their values in field 1.
bool ParseList(std::string_view list, Feature& feature) {
  feature.list = list;
  WireReader r(list);
  while (r.Next()) {
    if (r.field() != 1) continue;
    const bool packed = r.type() == WireType::kLength;
    switch (feature.type) {
      case FeatureType::kBytes:
        if (!packed) return false;
        feature.bytes.push_back(r.Bytes());
        ++feature.count;
        break;
      case FeatureType::kFloat:
        feature.count += packed ? r.Bytes().size() / sizeof(float) : 1;
        break;
      case FeatureType::kInt64:
        feature.count += packed ? CountVarints(r.Bytes()) : 1;
        break;
    }
  }
  return r.ok();
}

bool ParseFeature(std::string_view message, Feature& feature) {
  WireReader r(message);
  while (r.Next()) {
    if (r.field() < 1 || r.field() > 3 || r.type() != WireType::kLength) return false;
    feature.type = static_cast<FeatureType>(r.field() - 1);
    if (!ParseList(r.Bytes(), feature)) return false;
  }
  return r.ok();
}

// A FeatureList: many features under one name, summed up as one.
bool ParseFeatureList(std::string_view message, Feature& feature) {
  feature.sequence = true;
  WireReader r(message);
  while (r.Next()) {
    if (r.field() != 1 || r.type() != WireType::kLength) return false;
    Feature step;
    if (!ParseFeature(r.Bytes(), step)) return false;
    feature.type = step.type;
    feature.count += step.count;
    feature.bytes.insert(feature.bytes.end(), step.bytes.begin(), step.bytes.end());
  }
  return r.ok();
}

// Features and FeatureLists are both a map in field 1: entries of key and value.
bool ParseMap(std::string_view message, bool (*parse)(std::string_view, Feature&),
              std::vector<Feature>& features) {
  WireReader r(message);
  while (r.Next()) {
    if (r.field() != 1 || r.type() != WireType::kLength) return false;
    Feature& feature = features.emplace_back();
    WireReader entry(r.Bytes());
    while (entry.Next()) {
      if (entry.type() != WireType::kLength || entry.field() > 2) return false;
      if (entry.field() == 1) feature.name = entry.Bytes();
      if (entry.field() == 2 && !parse(entry.Bytes(), feature)) return false;
    }
    if (!entry.ok()) return false;
  }
  return r.ok();
}

}  // namespace

std::string_view NameOf(FeatureType type) {
  switch (type) {
    case FeatureType::kBytes:
      return "bytes";
    case FeatureType::kFloat:
      return "float";
    case FeatureType::kInt64:
      return "int64";
  }
  std::unreachable();
}

std::vector<int64_t> IntegersOf(const Feature& feature) {
  std::vector<int64_t> values;
  if (feature.type != FeatureType::kInt64) return values;
  for (WireReader r(feature.list); r.Next();) {
    if (r.field() == 1) AppendIntegers(r, values);
  }
  return values;
}

std::vector<float> FloatsOf(const Feature& feature) {
  std::vector<float> values;
  if (feature.type != FeatureType::kFloat) return values;
  for (WireReader r(feature.list); r.Next();) {
    if (r.field() == 1) AppendFloats(r, values);
  }
  return values;
}

std::optional<std::vector<Feature>> ParseExample(std::string_view record) {
  std::vector<Feature> features;
  WireReader r(record);
  while (r.Next()) {
    if (r.type() != WireType::kLength || r.field() > 2) return std::nullopt;
    const auto parse = r.field() == 1 ? ParseFeature : ParseFeatureList;
    if (!ParseMap(r.Bytes(), parse, features)) return std::nullopt;
  }
  if (!r.ok() || features.empty()) return std::nullopt;
  return features;
}

void ExampleSurvey::Add(std::string_view record) {
  ++records_;
  const auto features = ParseExample(record);
  if (!features) return;
  ++examples_;
  for (const Feature& feature : *features) {
    const auto [at, is_new] = features_.try_emplace(std::string(feature.name));
    FeatureFacts& facts = at->second;
    facts.mixed_types |= !is_new && facts.type != feature.type;
    facts.type = feature.type;
    facts.sequence = feature.sequence;
    ++facts.records;
    facts.least = std::min(facts.least, feature.count);
    facts.most = std::max(facts.most, feature.count);
    for (const std::string_view value : feature.bytes) {
      facts.least_bytes = std::min<uint64_t>(facts.least_bytes, value.size());
      facts.most_bytes = std::max<uint64_t>(facts.most_bytes, value.size());
    }
  }
}

void ExampleSurvey::Merge(const ExampleSurvey& other) {
  records_ += other.records_;
  examples_ += other.examples_;
  for (const auto& [name, theirs] : other.features_) {
    const auto [at, is_new] = features_.try_emplace(name, theirs);
    if (is_new) continue;
    FeatureFacts& mine = at->second;
    mine.mixed_types |= theirs.mixed_types || mine.type != theirs.type;
    mine.records += theirs.records;
    mine.least = std::min(mine.least, theirs.least);
    mine.most = std::max(mine.most, theirs.most);
    mine.least_bytes = std::min(mine.least_bytes, theirs.least_bytes);
    mine.most_bytes = std::max(mine.most_bytes, theirs.most_bytes);
  }
}

}  // namespace stepscope
