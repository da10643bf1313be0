#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "missing-libcupti",
        .symptom = "The profile holds no kernels although work ran on a GPU, so every device "
                   "figure is missing rather than zero.",
        .detection = "Launch calls or ops placed on a GPU are in the profile, device events are "
                     "not. A log line about libcupti or CUPTI_ERROR_* confirms it.",
        .threshold = "Exact: no kernel and at least one launch or GPU op.",
        .saving = "None: it is a gate. No rule about the device may say that all is well.",
        .pytorch = "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]; only one CUPTI "
                   "client at a time (no Nsight beside it)",
        .tensorflow = "put CUPTI on LD_LIBRARY_PATH (/usr/local/cuda/extras/CUPTI/lib64); in a "
                      "container allow profiling or set NVreg_RestrictProfilingToAdminUsers=0",
        .jax = "install the CUDA plugin with CUPTI; the profiler cannot run beside Nsight Systems",
        .false_alarms = "Only a window that truly launched nothing.",
        .refuted_by = "A profile of the same run with device rows.",
        .sources = "TensorFlow profiler guide; article on TensorFlow timelines",
    },
    RuleWords{
        .rule = "profile-overhead-distorts",
        .symptom =
            "The profiler itself made the steps longer, so the gaps it shows are partly its own.",
        .detection = "The union of the profiler's own spans inside a step, or Python frames as "
                     "most of all spans.",
        .threshold = "10 % of the step, 50 % of the spans (ours).",
        .saving = "None in production; other savings are smaller than they look.",
        .pytorch = "schedule(wait=…, warmup=…, active=3), with_stack=False and record_shapes=False "
                   "unless needed",
        .tensorflow = "profile_batch=(500, 520); FULL_TRACE only every N-th run",
        .jax = "jax.profiler.ProfileOptions: python_tracer_level=0",
        .false_alarms = "Overhead that other work hides distorts nothing.",
        .refuted_by = "Step times of the same job without the profiler that are as long.",
        .sources = "TensorFlow profiler guide; Nsight Systems",
    },
    RuleWords{
        .rule = "warmup-step-in-profile",
        .symptom = "The first steps are far longer than the rest because of initialisation, "
                   "compilation or autotuning.",
        .detection = "A leading step that lasts more than twice the median of the steps after it.",
        .threshold = "2 × the median (ours).",
        .saving = "Nothing per steady step; the seconds lost once are given in the text.",
        .pytorch = "schedule(wait=1, warmup=3, …) so that the window starts later",
        .tensorflow = "start the profiler after some hundred steps",
        .jax = "call the jitted function once and block_until_ready() before the window",
        .onnx_runtime = "run once before start_profiling",
        .false_alarms = "A periodic slow step (evaluation, checkpoint) may come first.",
        .refuted_by = "Later windows with the same long first step.",
        .sources = "SageMaker Debugger; article on TensorFlow timelines",
    },
    RuleWords{
        .rule = "trace-truncated",
        .symptom = "The profile is cut off or lost events, so sums are too small.",
        .detection =
            "The file ends in the middle, the profiler reports loss, the event count equals a "
            "known cap, many kernels have no launch, or fewer than three whole steps are left.",
        .threshold =
            "20 % unlinked device events, 3 steps (ours); caps of XProf, JAX and ONNX Runtime.",
        .saving = "None: it is a gate.",
        .pytorch = "record fewer steps; do not kill the process while it writes",
        .tensorflow = "shorter window, fewer devices",
        .jax = "raise gpu_max_activity_api_events, shorten the window",
        .onnx_runtime =
            "end_profiling() before the process ends; split long sessions (1,000,000 events)",
        .false_alarms = "A job that ran only few steps has no more to give.",
        .refuted_by = "The same counts from a shorter window.",
        .sources = "XProf and JAX sources",
    },
};

}  // namespace

std::span<const RuleWords> TrustWords() { return kWords; }

}  // namespace stepscope
