#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tools/nan/tfdbg/tensor_health.h"

namespace stepscope {

struct DebugFrame {
  std::string file;
  int64_t line = 0;
  std::string function;
  std::string code;  // the source line, where the dump holds the file
};
using FrameIndex = uint32_t;

struct DebugOp {
  std::string name;
  std::string type;
  std::vector<std::string> inputs;  // "op:slot"
  int64_t num_outputs = 0;
  std::string device;
  std::vector<FrameIndex> stack;  // outermost first
};

struct DebugGraph {
  std::string id;
  std::string name;
  std::string outer_id;
  std::vector<DebugOp> ops;  // in order of creation
  std::unordered_map<std::string, size_t> index;

  const DebugOp* Find(std::string_view op_name) const;
};

// An op that ran eagerly, or the call of a function (then graph_id says which).
struct DebugExecution {
  double wall_time = 0;  // seconds, when it had ended
  std::string op_type;
  std::string graph_id;
  int64_t num_outputs = 0;
  std::vector<int64_t> inputs;   // tensor ids
  std::vector<int64_t> outputs;  // tensor ids
  TensorDebugMode mode = TensorDebugMode::kUnspecified;
  std::vector<TensorHealth> tensors;  // not always one an output: excluded ones are left out
  std::vector<FrameIndex> stack;
};

// One output of an op inside a graph, once each time it ran.
struct DebugTrace {
  double wall_time = 0;
  std::string graph_id;
  std::string op_name;
  int64_t slot = 0;
  TensorDebugMode mode = TensorDebugMode::kUnspecified;
  TensorHealth health;
  std::string device;
};

struct DebugDamage {
  std::string file;
  uint64_t offset = 0;
  Messages sentence;
};

struct DebugDump {
  std::string tensorflow_version;
  std::string run_id;
  std::vector<std::pair<std::string, std::string>> source_files;  // host, path
  std::vector<DebugFrame> frames;
  std::vector<DebugGraph> graphs;
  std::vector<DebugExecution> executions;
  std::vector<DebugTrace> traces;
  std::vector<DebugDamage> damage;
  std::vector<TensorDebugMode> modes;  // that occur, ascending

  const DebugGraph* FindGraph(std::string_view id) const;
};

// True when the directory holds files of a tfdbg v2 dump.
bool IsDebugDump(const std::string& directory);

// Reads all file sets of a dump directory. Records that are damaged or not finished are left out
// and said in `damage`. An Error when there is nothing to read.
Result<DebugDump> ReadDebugDump(const std::string& directory);

}  // namespace stepscope
