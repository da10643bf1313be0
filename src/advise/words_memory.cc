#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "memory-near-capacity",
        .symptom = "Peak device memory is close to the limit.",
        .detection = "Peak allocated bytes over the size of the memory.",
        .threshold = "90 % (TensorBoard plugin).",
        .saving = "None; recomputation makes steps longer.",
        .pytorch = "torch.utils.checkpoint, bf16, smaller micro-batches",
        .tensorflow = "tf.recompute_grad, mixed precision",
        .jax = "jax.checkpoint",
        .false_alarms = "Reserved is not allocated.",
        .refuted_by = "Plenty of free memory by the allocator's figures.",
        .sources = "TensorBoard plugin",
    },
    RuleWords{
        .rule = "allocator-retry-steady",
        .symptom = "The caching allocator keeps calling the driver during steady training.",
        .detection = "Allocation calls in used steps.",
        .threshold = "10 ms a window (Ascend advisor), 1 % of the step (ours).",
        .saving = "hi: exposed time of the calls.",
        .pytorch = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; remove empty_cache()",
        .tensorflow = "TF_GPU_ALLOCATOR=cuda_malloc_async",
        .jax = "leave preallocation on",
        .false_alarms = "Sequences of new lengths ask for new memory until all were seen.",
        .refuted_by = "Calls only in warm-up.",
        .sources = "Ascend advisor; PyTorch",
    },
    RuleWords{
        .rule = "memory-fragmentation",
        .symptom = "Free memory exists but is split into pieces too small to use.",
        .detection = "Reserved minus allocated at the peak; new blocks asked for in steady steps.",
        .threshold = "20 % of capacity, 30 % of what is reserved (ours).",
        .saving = "None directly: it brings retries and out-of-memory errors.",
        .pytorch = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        .tensorflow = "TF_GPU_ALLOCATOR=cuda_malloc_async",
        .jax = "fixed shapes",
        .false_alarms = "A cache that is kept on purpose.",
        .refuted_by = "Large free blocks in a memory snapshot.",
        .sources = "PyTorch; TensorFlow profiler guide",
    },
    RuleWords{
        .rule = "memory-growing",
        .symptom = "Memory in use rises step after step: something is kept alive.",
        .detection = "Bytes allocated in a step and never freed, median over steps.",
        .threshold = "5 % of the memory in 1,000 steps (ours).",
        .saving = "None now; the steps until memory is full are given.",
        .pytorch = "total += loss.item(), not += loss; detach what you keep",
        .tensorflow = "do not create ops in the loop; finalize the graph",
        .jax = "drop references; donate_argnums",
        .false_alarms = "Caches that fill up look alike at first.",
        .refuted_by = "Memory that stops growing.",
        .sources = "SageMaker Debugger; XProf",
    },
};

}  // namespace

std::span<const RuleWords> MemoryWords() { return kWords; }

}  // namespace stepscope
