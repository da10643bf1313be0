#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "dynamic-shape-recompile",
        .symptom = "Changing shapes or Python arguments make the framework trace or compile again "
                   "during training.",
        .detection = "Compile and tracing spans in used steps, or the log.",
        .threshold = "1 % of the window (ours); TensorFlow warns at 5 of 10 calls.",
        .saving = "hi: compile time; it ends once all shapes are seen.",
        .pytorch = "torch._dynamo.mark_dynamic(x, 0), or pad to a few lengths",
        .tensorflow = "input_signature, reduce_retracing=True, drop_remainder=True",
        .jax = "pad to buckets; hashable static arguments",
        .onnx_runtime = "fixed shapes or an optimisation profile",
        .false_alarms =
            "Compiles stop by themselves once every shape was seen: a longer profile tells.",
        .refuted_by = "Compiles that stop after warm-up.",
        .sources = "TensorFlow; PyTorch dynamo; JAX",
    },
    RuleWords{
        .rule = "compile-time-dominates-startup",
        .symptom = "Most of a short run is spent compiling rather than computing.",
        .detection = "Compile time over the length of the profile or of the run in the log.",
        .threshold = "20 % of the run or 60 s (ours).",
        .saving = "Seconds per run, nothing per step.",
        .pytorch = "TORCHINDUCTOR_FX_GRAPH_CACHE=1",
        .tensorflow = "a persistent XLA cache",
        .jax = "jax.config.update(\"jax_compilation_cache_dir\", DIR); lax.scan over layers",
        .onnx_runtime = "save the optimised model",
        .false_alarms = "A profile that was meant to show start-up.",
        .refuted_by = "A warm cache that changes nothing.",
        .sources = "JAX; PyTorch",
    },
    RuleWords{
        .rule = "gpu-arch-jit-at-startup",
        .symptom = "The framework has no machine code for this GPU, so kernels are compiled from "
                   "PTX at first use.",
        .detection =
            "The GPU's architecture against those in the framework's libraries, or the log.",
        .threshold = "Set test.",
        .saving = "Seconds at start, nothing per step.",
        .pytorch =
            "install a build for this architecture; keep CUDA_CACHE_PATH outside of the container",
        .tensorflow = "install a build for this architecture; CUDA_CACHE_MAXSIZE=4294967296",
        .jax = "install a build for this architecture",
        .false_alarms = "Compiled code is kept in a cache: only the first start on a machine pays.",
        .refuted_by = "A warm cache.",
        .sources = "TensorFlow performance guide",
    },
};

}  // namespace

std::span<const RuleWords> CompileWords() { return kWords; }

}  // namespace stepscope
