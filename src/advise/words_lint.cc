#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "tensor-created-on-host",
        .symptom = "Tensors are filled on the host and copied to the device.",
        .detection = "A copy to the device right after a fill on the host.",
        .threshold = "Pattern of torch.profiler.",
        .saving = "hi: exposed time of the copy.",
        .pytorch = "torch.zeros(n, device=\"cuda\")",
        .tensorflow = "with tf.device(\"/GPU:0\")",
        .jax = "jnp.zeros",
        .false_alarms = "Constants made once.",
        .refuted_by = "The tensor is needed on both sides.",
        .sources = "torch.profiler pattern matcher",
    },
    RuleWords{
        .rule = "python-loop-of-ops",
        .symptom = "A Python loop indexes a tensor element by element.",
        .detection = "Many select ops in a row.",
        .threshold = "10 in a row (torch.profiler).",
        .saving = "hi: their exposed time.",
        .pytorch = "index_select, scatter or vmap",
        .tensorflow = "tf.gather",
        .jax = "vmap or lax.scan",
        .false_alarms = "Short loops.",
        .refuted_by = "Indices that depend on each other.",
        .sources = "torch.profiler pattern matcher",
    },
    RuleWords{
        .rule = "conv-autotune",
        .symptom = "Autotuning runs in steady steps.",
        .detection = "Autotune spans in used steps.",
        .threshold = "Any.",
        .saving = "hi: exposed tuning time.",
        .pytorch = "torch.backends.cudnn.benchmark = False for varying shapes",
        .tensorflow = "bucket shapes",
        .jax = "bucket shapes",
        .onnx_runtime = "cudnn_conv_algo_search=HEURISTIC",
        .false_alarms = "Warm-up.",
        .refuted_by = "Tuning that ends.",
        .sources = "XProf",
    },
    RuleWords{
        .rule = "gather-scatter-bound",
        .symptom = "Gather, scatter, sort and concatenation dominate.",
        .detection = "Their kernel time.",
        .threshold = "30 % (XProf).",
        .saving = "hi: half of it.",
        .pytorch = "fused embedding bags; sorted indices",
        .tensorflow = "tf.nn.safe_embedding_lookup_sparse",
        .jax = "sorted unique indices",
        .false_alarms = "Embedding lookups are the work of some models.",
        .refuted_by = "Kernels at full bandwidth.",
        .sources = "XProf",
    },
    RuleWords{
        .rule = "grad-mode-in-inference",
        .symptom = "Forward passes record a gradient graph that nobody uses.",
        .detection = "Sequence numbers are handed out but no backward pass runs.",
        .threshold = "Pattern.",
        .saving = "Memory more than time.",
        .pytorch = "with torch.inference_mode(): …",
        .tensorflow = "call without a GradientTape",
        .false_alarms = "A backward pass outside of the window.",
        .refuted_by = "A backward pass later on.",
        .sources = "PyTorch",
    },
    RuleWords{
        .rule = "conv-bias-before-bn",
        .symptom = "Convolutions add a bias that batch normalisation removes again.",
        .detection = "A convolution with an add inside it followed by a batch norm.",
        .threshold = "Pattern of torch.profiler.",
        .saving = "hi: time of the adds.",
        .pytorch = "nn.Conv2d(..., bias=False)",
        .tensorflow = "use_bias=False",
        .jax = "use_bias=False",
        .false_alarms = "Another op between the two would make the bias count.",
        .refuted_by = "No batch norm in evaluation.",
        .sources = "torch.profiler pattern matcher",
    },
    RuleWords{
        .rule = "zero-grad-to-zero",
        .symptom = "zero_grad writes zeros instead of freeing gradients.",
        .detection = "Fills inside zero_grad.",
        .threshold = "Pattern of torch.profiler.",
        .saving = "hi: the fills.",
        .pytorch = "optimizer.zero_grad(set_to_none=True)",
        .false_alarms = "Code that reads gradients after zero_grad.",
        .refuted_by = "No fills.",
        .sources = "torch.profiler pattern matcher",
    },
    RuleWords{
        .rule = "graph-breaks",
        .symptom = "A compiled model is broken into several regions.",
        .detection = "More than three compiled regions a step.",
        .threshold = "3 (ours).",
        .saving = "hi: idle between them.",
        .pytorch = "TORCH_LOGS=graph_breaks; remove .item() and prints",
        .false_alarms = "Several models compiled on purpose.",
        .refuted_by = "One region a model.",
        .sources = "PyTorch dynamo",
    },
    RuleWords{
        .rule = "tf-outside-compilation",
        .symptom = "Host ops run inside an XLA or TPU function.",
        .detection = "Outside-compilation spans.",
        .threshold = "5 % (XProf).",
        .saving = "hi: their time.",
        .tensorflow = "move them out of the compiled function",
        .jax = "move them out of jit",
        .false_alarms = "Summaries and host calls every few steps are wanted.",
        .refuted_by = "No transfers.",
        .sources = "XProf",
    },
};

}  // namespace

std::span<const RuleWords> LintWords() { return kWords; }

}  // namespace stepscope
