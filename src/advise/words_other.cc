#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "ort-no-iobinding",
        .symptom = "ONNX Runtime copies inputs and outputs between host and device in every run.",
        .detection = "Memcpy nodes in the profile, or the log.",
        .threshold = "5 % of a run (ours).",
        .saving = "hi: time of the copies.",
        .onnx_runtime = "io_binding with device OrtValues; re-export ops that fell back",
        .false_alarms = "Inputs that come from the host have to be copied once.",
        .refuted_by = "No copies with IOBinding.",
        .sources = "ONNX Runtime",
    },
    RuleWords{
        .rule = "nan-source",
        .symptom = "Training produces NaN or Inf, so steps are wasted.",
        .detection = "The log, or steps without optimizer work under a gradient scaler.",
        .threshold = "1 % skipped steps (ours).",
        .saving = "hi: share of skipped steps.",
        .pytorch = "torch.autograd.detect_anomaly for one run; bf16 instead of fp16",
        .tensorflow = "stepscope nan DUMP; tf.debugging.enable_check_numerics",
        .jax = "jax.config.update(\"jax_debug_nans\", True) for one run",
        .false_alarms = "The checker itself slows the run.",
        .refuted_by = "Finite values with the checker on.",
        .sources = "TensorFlow tips",
    },
    RuleWords{
        .rule = "clock-throttling",
        .symptom = "The same kernels became slower during the run.",
        .detection = "Medians of equal kernels in the first and last quarter of the steps.",
        .threshold = "5 % (Ascend advisor), for two thirds of the kernels (ours).",
        .saving = "hi: the time lost.",
        .pytorch = "nvidia-smi -q -d PERFORMANCE; lock clocks",
        .tensorflow = "nvidia-smi -q -d PERFORMANCE",
        .jax = "nvidia-smi -q -d PERFORMANCE",
        .false_alarms = "Medium without clock counters.",
        .refuted_by = "Clocks that did not change.",
        .sources = "Ascend advisor",
    },
};

}  // namespace

std::span<const RuleWords> OtherWords() { return kWords; }

}  // namespace stepscope
