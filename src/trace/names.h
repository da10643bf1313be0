#pragma once

#include <cstdint>
#include <string_view>

#include "trace/kind.h"

namespace stepscope {

// What kind of work a device kernel does, from its name. `kernels[].category` in the JSON.
enum class KernelCategory : uint8_t {
  kOther,
  kGemm,
  kConvolution,
  kAttention,
  kNormalization,
  kSoftmax,
  kElementwise,
  kReduction,
  kPooling,
  kEmbedding,
  kOptimizer,
  kRandom,
  kSort,
  kTranspose,
  kCommunication,
  kCopy,
  kMemset,
  kTriton
};
std::string_view NameOf(KernelCategory category);

// What one name says, worked out once per distinct name. 4 bytes.
struct NameTraits {
  KernelCategory category = KernelCategory::kOther;
  bool communication : 1 = false;  // a collective's kernel or host op: nccl, rccl, gloo, mpi, …
  bool tensor_core : 1 =
      false;  // a kernel that uses tensor or matrix cores, Volta to Blackwell and MI
  bool tensor_core_eligible : 1 = false;  // an op that could: matmuls, convolutions, linear layers
  bool input_stage : 1 = false;           // DataLoader/DataPipe next, tf.data iterator, infeed
  bool step_marker : 1 = false;           // "ProfilerStep#5"
  bool launch_call : 1 = false;           // runtime or driver call that starts device work
  bool copy_call : 1 = false;             // runtime or driver call that copies or sets memory
  bool sync_call : 1 = false;             // runtime or driver call that waits for the device
  bool alloc_call : 1 = false;            // cudaMalloc, cudaFree, cudaHostAlloc …
  bool compile : 1 = false;               // JIT or graph compilation, module loading, autotuning
  bool optimizer : 1 = false;             // Optimizer.step#…
  bool backward : 1 = false;              // autograd::engine::evaluate_function, …Backward0
  bool wait_communication : 1 = false;    // host op or call that waits for a collective
};
static_assert(sizeof(NameTraits) <= 4);

// One pass over the name, no allocation. name_tags.h has what advice asks beyond this.
NameTraits TraitsOf(std::string_view name);

}  // namespace stepscope
