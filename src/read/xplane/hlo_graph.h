#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace stepscope {

// Which results an XLA instruction takes, by name: the data flow within each computation of the
// modules that a profile carries. An instruction whose name stands in several modules with other
// operands has none here, for events name the instruction and not its module.
struct HloGraph {
  std::unordered_map<std::string, std::vector<std::string>> operands;  // each once
  uint64_t ambiguous = 0;                                              // such instructions

  bool Knows(std::string_view instruction) const {
    return operands.contains(std::string(instruction));
  }
};

// Reads the modules of an XPlane file again; a trace does not hold their operands.
Result<HloGraph> ReadHloGraph(const std::string& path);

// The channels of collectives between devices, by instruction: the same on all hosts that take
// part. An instruction that has another channel in another module has none here. Reads the file
// again.
Result<std::unordered_map<std::string, int64_t>> ReadHloChannels(const std::string& path);

}  // namespace stepscope
