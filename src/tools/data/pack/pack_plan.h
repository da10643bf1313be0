#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/data/read/dataset_files.h"

namespace stepscope {

// What a record holds: an Example with image/encoded, image/filename and image/class/label, or the
// bytes of the file.
enum class RecordLayout : uint8_t { kImageExample, kRaw };

struct PackOptions {
  uint64_t shard_bytes = uint64_t{100} << 20;
  std::optional<uint64_t> shuffle_seed;
  std::optional<RecordLayout> layout;  // nullopt: Examples where every file is an image
  std::string prefix = "data";
};

struct PackedFile {
  DatasetFile file;
  int64_t label = -1;         // index of its class; -1: none
  uint64_t record_bytes = 0;  // framed
  uint64_t offset = 0;        // in its shard
};
struct Shard {
  std::string name;
  size_t first = 0, last = 0;  // files [first, last)
  uint64_t bytes = 0;
};

// Which file goes where, to the byte: a pure function of names, sizes and options, so that threads
// can write side by side and a run that was stopped can go on.
struct PackPlan {
  std::string prefix;
  RecordLayout layout = RecordLayout::kRaw;
  std::vector<std::string> classes;  // first part of the name below the source, sorted
  std::vector<PackedFile> files;     // in the order of the records
  std::vector<Shard> shards;
  uint64_t bytes = 0;
  uint64_t fingerprint = 0;  // of all that went into it, times of modification included
};

Result<PackPlan> PlanPack(std::vector<DatasetFile> files, const PackOptions& options);

// What stands around the contents of a file in its record.
struct RecordEnvelope {
  std::string before;
  std::string after;
};
RecordEnvelope EnvelopeOf(const PackedFile& file, RecordLayout layout);

}  // namespace stepscope
