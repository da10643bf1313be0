#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "read/graph_def/graph_def.h"

namespace stepscope {

// A TensorFlow V2 checkpoint: what `<prefix>.index` lists; values stay in the data files until
// asked for.
struct Checkpoint {
  struct Variable {
    std::string name;
    DataType type = DataType::kInvalid;
    TensorShape shape;
    int32_t shard = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t masked_crc = 0;
    bool sliced = false;  // a partitioned variable: its parts are stored one by one
  };
  std::string prefix;
  int32_t shards = 1;
  std::vector<Variable> variables;  // by name

  const Variable* Find(std::string_view name) const;
};

// The prefix, or the name of its index file.
Result<Checkpoint> ReadCheckpoint(const std::string& prefix, Diagnostics& diagnostics);
// The index file's bytes; `prefix` is where the data files are.
Result<Checkpoint> ParseCheckpointIndex(std::string_view bytes, const std::string& prefix,
                                        Diagnostics& diagnostics);
// The raw little-endian values, checked against their CRC.
Result<std::string> ReadValues(const Checkpoint& checkpoint, const Checkpoint::Variable& variable);

}  // namespace stepscope
