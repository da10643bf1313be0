#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/graph/graph_index.h"
#include "tools/graph/shapes.h"

namespace stepscope {

// What a variable is for.
enum class VariableRole : uint8_t {
  kTrained,    // the optimizer updates it, or the graph's collections say so
  kFrozen,     // the model reads it, nothing of the training updates it
  kSlot,       // the optimizer's own: momentum, moments
  kStatistic,  // updated without gradients: moving averages, step counters
};
std::string_view NameOf(VariableRole role);

struct Variable {
  uint32_t node = 0;
  std::string_view name;
  DataType type = DataType::kInvalid;
  TensorShape shape;
  std::optional<int64_t> parameters;  // none when the shape is not known
  std::optional<int64_t> bytes;
  VariableRole role = VariableRole::kFrozen;
  std::vector<uint32_t> updates;  // optimizer ops that change it
  uint32_t slot_of = UINT32_MAX;  // kSlot: index of the variable it belongs to
};

enum class RoleSource : uint8_t { kCollections, kOpLog, kUpdates };
struct Variables {
  std::vector<Variable> items;  // in graph order
  RoleSource source = RoleSource::kUpdates;
  int64_t ParametersOf(VariableRole role) const;
};

// `trainable` are names known to be trainable from elsewhere (an op log); empty: not known.
Variables FindVariables(const GraphIndex& graph, const std::vector<std::string_view>& trainable);

// Whether a node computes gradients: it stands below a scope that tf.gradients made.
bool IsGradientNode(std::string_view name);

struct FreezeEffect {
  std::vector<uint32_t> frozen;  // indices into Variables::items
  std::vector<uint32_t> slots;   // optimizer state that goes with them
  int64_t parameters = 0;
  int64_t slot_bytes = 0;
  std::vector<uint32_t> gradient_nodes;  // needed for nothing else
  std::vector<uint32_t> update_nodes;
  uint64_t all_gradient_nodes = 0;  // of the graph, to compare with
};
// What is no longer needed if the matching trained variables leave tf.gradients.
FreezeEffect Freeze(const GraphIndex& graph, const Variables& variables,
                    const std::function<bool(std::string_view)>& matches);

// Gradient ops from which no update can be reached: their results are never used.
std::vector<uint32_t> UnusedGradients(const GraphIndex& graph, const Variables& variables);

struct Placement {
  struct Row {
    uint32_t variable = 0;
    uint32_t device = 0;  // index into devices; UINT32_MAX: the graph has placed it already
  };
  std::vector<std::string> devices;
  std::vector<int64_t> load;  // elements
  std::vector<int64_t> bytes;
  std::vector<Row> rows;
};
// Each variable on the device that holds the fewest elements so far, in graph order; the first such
// device. Variables with a device of their own keep it.
Placement PlaceVariables(const GraphIndex& graph, const Variables& variables,
                         std::vector<std::string> devices);

}  // namespace stepscope
