#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/data/pack/pack_plan.h"

namespace stepscope {

// What a packing was made of: lets a stopped run go on, and unpack give raw records their names.
struct Manifest {
  uint64_t fingerprint = 0;
  RecordLayout layout = RecordLayout::kRaw;
  std::vector<std::string> shards;
  std::vector<std::string> classes;
  std::vector<std::string> files;    // names in the order of the records, where the layout is raw
  std::vector<uint64_t> first_file;  // of each shard
};

std::string ManifestNameOf(const std::string& prefix);  // "data.manifest.json"
Result<void> WriteManifest(const PackPlan& plan, const std::string& path);
// nullopt when there is none, or it is no manifest.
std::optional<Manifest> ReadManifest(const std::string& path);

}  // namespace stepscope
