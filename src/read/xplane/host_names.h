#pragma once

#include <cstdint>
#include <string_view>

#include "trace/kind.h"

namespace stepscope::xplane {

// Which stats of an event are worth reading, told from its name: most host events carry none that
// matter, and stepping over them is what makes reading fast.
enum StatGroup : uint8_t {
  kNoStats = 0,
  kMarkStats = 1,      // step_num, tf_function_call, correlation_id, hlo_op …: what an event of
                       // unknown name may turn out to be
  kFlowStats = 2,      // producer and consumer ids across threads
  kMemoryStats = 4,    // MemoryAllocation, MemoryDeallocation
  kIteratorStats = 8,  // tf.data iterators
  kShapeStats = 16,    // ops of profiles that record shapes
};

// What the name of a host event says about it: the one place where the vocabulary of the TensorFlow
// and XLA tracers is mapped to ours.
struct HostName {
  Kind kind = Kind::kOther;
  uint8_t stats = kNoStats;       // StatGroups
  bool maybe_annotation = false;  // a name of the user's if it stands on a Python thread
};

// Linear in the length of the name; called once per distinct name.
HostName ClassifyHostName(std::string_view name);

// "dense/MatMul:MatMul": node name and op type of a TensorFlow op.
bool IsTensorFlowOp(std::string_view name);

// Ops that wait for the next batch: tf.data's, and the queues and readers of TensorFlow 1.
bool IsInputOpType(std::string_view type);

}  // namespace stepscope::xplane
