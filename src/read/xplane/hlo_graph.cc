#include "read/xplane/hlo_graph.h"

#include <algorithm>
#include <set>

#include "io/byte_source.h"
#include "read/xplane/hlo_proto.h"

namespace stepscope {
namespace {

using xplane::HloInstruction;
using xplane::HloModule;

// Instructions from `first` on that are of one computation.
size_t EndOfComputation(const HloModule& module, size_t first) {
  size_t last = first;
  while (last < module.instructions.size() &&
         module.instructions[last].computation == module.instructions[first].computation) {
    ++last;
  }
  return last;
}

std::vector<std::string> NamesOf(const HloInstruction& instruction,
                                 const std::unordered_map<int64_t, const HloInstruction*>& by_id) {
  std::vector<std::string> names;
  for (const int64_t operand : instruction.operands) {
    const auto found = by_id.find(operand);
    if (found == by_id.end()) continue;
    std::string name(found->second->name);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

// What is wrong with the file was told when it was read first.
std::vector<HloModule> ModulesIn(const FileBytes& file) {
  Diagnostics told_before;
  return xplane::ModulesOf(
      xplane::ReadSpace({file.bytes().data(), file.bytes().size()}, told_before));
}

}  // namespace

Result<HloGraph> ReadHloGraph(const std::string& path) {
  const Result<FileBytes> file = ReadWhole(path);
  if (!file) return std::unexpected(file.error());
  HloGraph graph;
  std::set<std::string> ambiguous;
  for (const HloModule& module : ModulesIn(*file)) {
    for (size_t first = 0; first < module.instructions.size();) {
      const size_t last = EndOfComputation(module, first);
      std::unordered_map<int64_t, const HloInstruction*> by_id;
      for (size_t i = first; i < last; ++i) {
        by_id.emplace(module.instructions[i].id, &module.instructions[i]);
      }
      for (; first < last; ++first) {
        const HloInstruction& instruction = module.instructions[first];
        std::vector<std::string> operands = NamesOf(instruction, by_id);
        const auto [known, added] = graph.operands.try_emplace(std::string(instruction.name));
        if (added) {
          known->second = std::move(operands);
        } else if (known->second != operands) {
          ambiguous.insert(known->first);
        }
      }
    }
  }
  for (const std::string& name : ambiguous) graph.operands[name].clear();
  graph.ambiguous = ambiguous.size();
  return graph;
}

Result<std::unordered_map<std::string, int64_t>> ReadHloChannels(const std::string& path) {
  const Result<FileBytes> file = ReadWhole(path);
  if (!file) return std::unexpected(file.error());
  std::unordered_map<std::string, int64_t> channels;
  for (const HloModule& module : ModulesIn(*file)) {
    for (const HloInstruction& instruction : module.instructions) {
      if (instruction.channel <= 0) continue;
      const auto [known, added] =
          channels.try_emplace(std::string(instruction.name), instruction.channel);
      if (known->second != instruction.channel) known->second = -1;
    }
  }
  std::erase_if(channels, [](const auto& channel) { return channel.second < 0; });
  return channels;
}

}  // namespace stepscope
