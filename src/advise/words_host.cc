#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "gpu-low-utilization",
        .symptom = "The GPU is busy for too small a part of the step.",
        .detection = "Union of device work inside used steps over their length.",
        .threshold = "80 % note, 50 % warning (performance guide, tfprof, TensorBoard plugin, "
                     "Nsight Systems).",
        .saving = "None of its own: only the causes claim time.",
        .pytorch = "find the cause first: `stepscope report` says why the device idles",
        .tensorflow = "find the cause first: `stepscope report` says why the device idles",
        .jax = "find the cause first: `stepscope report` says why the device idles",
        .onnx_runtime = "find the cause first: `stepscope report` says why the device idles",
        .false_alarms = "True as a fact, useless as advice without its cause.",
        .refuted_by = "A cause that is not on the critical path.",
        .sources = "TensorFlow performance guide; tfprof",
    },
    RuleWords{
        .rule = "gpu-idle-gap-attribution",
        .symptom = "The GPU stood still, and this is what the CPU was doing meanwhile.",
        .detection = "The launching thread of the next work during each gap.",
        .threshold = "3 % of the step in one cause, high from 15 % (XProf); a gap of 20 µs (ours).",
        .saving = "hi: idle time of the cause.",
        .pytorch = "move what runs in that stretch out of the loop or behind the next launches; "
                   "with_stack=True names Python functions",
        .tensorflow = "move what runs in that stretch out of the step, or give more steps at once "
                      "(steps_per_execution)",
        .jax = "move what runs in that stretch out of the step; block_until_ready only where a "
               "value is "
               "needed",
        .false_alarms =
            "Where little of the host was recorded, the stretch is right and its cause a guess.",
        .refuted_by = "The same gap without the blamed span.",
        .sources = "Holistic Trace Analysis; XProf",
    },
    RuleWords{
        .rule = "pyfunc-in-step",
        .symptom =
            "A Python function inside the model graph runs on the CPU while the accelerator waits.",
        .detection =
            "PyFunc or callback spans outside the input pipeline during which no kernel runs.",
        .threshold = "1 % of the step (ours).",
        .saving = "hi: exposed time of the calls.",
        .pytorch = "use tensor ops or a custom op",
        .tensorflow = "replace py_function by TensorFlow ops, or move it into the dataset",
        .jax = "jax.numpy instead of pure_callback; io_callback(ordered=False) for logging",
        .false_alarms = "A call that other work hides costs nothing and is not counted.",
        .refuted_by = "No idle time around the call.",
        .sources = "TensorFlow tips",
    },
    RuleWords{
        .rule = "inter-step-gap",
        .symptom = "Between the end of one step and the start of the next nothing runs, for other "
                   "reasons than input.",
        .detection = "Time between consecutive steps without input spans or device work.",
        .threshold = "3 % moderate, 15 % high (XProf).",
        .saving = "hi: the mean gap.",
        .pytorch = "log and schedule less often; keep metrics on the device",
        .tensorflow = "model.compile(..., steps_per_execution=50); metrics every k steps",
        .jax = "lax.scan over several steps",
        .false_alarms = "Where markers cover only the training call, the gap may hold wanted work "
                        "such as evaluation.",
        .refuted_by = "A gap filled by the next batch's loading.",
        .sources = "XProf; Keras",
    },
    RuleWords{
        .rule = "kernel-launch-bound",
        .symptom = "The host cannot issue kernels fast enough: the GPU runs dry between many short "
                   "kernels.",
        .detection = "Idle time while the launching thread dispatches, and most work starts on an "
                     "empty queue.",
        .threshold = "3 % moderate, 15 % high (XProf).",
        .saving = "hi: that idle time. lo: a replay with dispatch almost free, at 1 µs a kernel.",
        .pytorch = "torch.compile(model, mode=\"reduce-overhead\"); a larger batch; fused or "
                   "foreach optimizer",
        .tensorflow = "tf.function(jit_compile=True)",
        .jax = "jit the whole step; lax.scan",
        .onnx_runtime = "enable_cuda_graph=1",
        .false_alarms = "Profiling with stacks inflates launches.",
        .refuted_by = "No gain from CUDA graphs: the device was the limit.",
        .sources = "XProf; Holistic Trace Analysis",
    },
    RuleWords{
        .rule = "blocking-sync-calls",
        .symptom = "The program makes the CPU wait for the GPU inside the step, so the launch "
                   "queue drains.",
        .detection =
            "Synchronising calls after whose end the device idles; the wait itself is not counted.",
        .threshold = "Idle after of 1 % of the step (ours).",
        .saving = "hi: idle time after the calls.",
        .pytorch = "keep scalars on the device; torch.where instead of nonzero; find lines with "
                   "torch.cuda.set_sync_debug_mode(\"warn\")",
        .tensorflow = "avoid .numpy() in the step",
        .jax = "avoid block_until_ready and np.asarray in the step",
        .false_alarms = "Blaming .item() for the work it waits for: excluded by counting only what "
                        "comes after.",
        .refuted_by = "No idle time after the call.",
        .sources = "Nsight Systems; Ascend advisor",
    },
    RuleWords{
        .rule = "per-step-scalar-readback",
        .symptom = "The loss or a metric is fetched to the host in every step just to be logged.",
        .detection = "item() or the like in nearly every step with idle time after it.",
        .threshold = "90 % of the steps, 0.5 % of the step (ours).",
        .saving = "hi: idle after; logging every N steps saves all but one N-th.",
        .pytorch = "if step % 50 == 0: log(loss.item())",
        .tensorflow = "log every N steps",
        .jax = "print the loss of the step before",
        .false_alarms = "A value that the next step needs has to be read.",
        .refuted_by = "The device is busy when the call returns.",
        .sources = "XProf",
    },
    RuleWords{
        .rule = "h2d-pageable",
        .symptom =
            "Batches are copied from ordinary pageable memory, which is slower and blocks the CPU.",
        .detection = "Copies named Pageable of at least 1 MB that are exposed.",
        .threshold = "1 MB (ours); Nsight Systems has the rule.",
        .saving = "hi: exposed copy time.",
        .pytorch = "DataLoader(pin_memory=True) and x.to(device, non_blocking=True); do not call "
                   "x.pin_memory() in the main thread",
        .tensorflow = "the runtime stages copies itself; TF 1: force_gpu_compatible",
        .jax = "the runtime stages copies itself",
        .false_alarms = "Unified memory differs.",
        .refuted_by = "Pinned copies as slow.",
        .sources = "Nsight Systems; PyTorch tutorial on pinned memory",
    },
    RuleWords{
        .rule = "h2d-not-overlapped",
        .symptom = "The copy of the next batch does not overlap with compute.",
        .detection = "Input-sized copies to the device during which no kernel runs.",
        .threshold = "3 % of the step (ours).",
        .saving = "hi: exposed copy time. lo: a replay with the copies on a stream of their own.",
        .pytorch = "copy the next batch on a side stream from pinned memory",
        .tensorflow = "tf.data prefetch_to_device",
        .jax = "jax.device_put the next batch before calling the step",
        .onnx_runtime = "bind inputs on the device",
        .false_alarms = "Where the copy is longer than the compute beside it, part of it stays.",
        .refuted_by = "No idle elsewhere that the copy could fill.",
        .sources = "XProf",
    },
    RuleWords{
        .rule = "small-memcpy-storm",
        .symptom = "Very many tiny host-device copies cost more in latency than in bytes.",
        .detection = "Copies below 64 KiB and the ops around them.",
        .threshold = "50 a step and 3 % (ours).",
        .saving = "hi: exposed time of the ops that copy.",
        .pytorch = "stack the values and copy once; create constants on the device",
        .tensorflow = "combine feeds",
        .jax = "pass one array",
        .onnx_runtime = "IOBinding",
        .false_alarms = "Values that are needed one after the other cannot be packed.",
        .refuted_by = "Packed copies as slow.",
        .sources = "XProf",
    },
    RuleWords{
        .rule = "cpu-op-between-gpu-ops",
        .symptom = "An op without a GPU kernel sits in the middle of GPU work and forces copies "
                   "both ways.",
        .detection = "A copy to the host followed by one back, the device idle between.",
        .threshold = "0.5 % of the step (ours).",
        .saving = "hi: exposed time of the island.",
        .pytorch = "remove the stray .cpu(); use a device op",
        .tensorflow = "tf.debugging.set_log_device_placement(True) and replace the op",
        .jax = "keep it inside jit",
        .onnx_runtime = "see which nodes fell back to the CPU provider",
        .false_alarms = "Shape arithmetic on the CPU is deliberate and cheap.",
        .refuted_by = "No idle time at the island.",
        .sources = "TensorFlow GPU guide",
    },
    RuleWords{
        .rule = "eager-execution-overhead",
        .symptom = "Ops run one by one from Python instead of as a compiled graph.",
        .detection = "TensorFlow: eager execute spans outside functions; JAX: executables "
                     "dispatched a step.",
        .threshold = "10 % of the op time (XProf); 5 executables a step (ours).",
        .saving = "hi: exposed time of those spans.",
        .pytorch = "torch.compile(model)",
        .tensorflow = "@tf.function around the step; run_eagerly=False",
        .jax = "@jax.jit around the whole step",
        .false_alarms = "Ops that compute for long hide their dispatch: the share tells.",
        .refuted_by = "The same time inside tf.function.",
        .sources = "XProf; JAX",
    },
    RuleWords{
        .rule = "python-gc-pause",
        .symptom = "Python's garbage collector stops the launching thread at odd moments.",
        .detection = "Recorded collections above 1 ms, else a thread silent for more than 200 ms "
                     "in few steps.",
        .threshold = "1 ms, 200 ms (Ascend advisor).",
        .saving = "hi: exposed collection time.",
        .pytorch = "gc.freeze() after set-up; gc.disable() and gc.collect() every 50 steps on all "
                   "ranks together",
        .tensorflow = "gc.freeze()",
        .jax = "gc.freeze()",
        .false_alarms = "The guess without events is weak.",
        .refuted_by = "No collection recorded with record_python_gc_info.",
        .sources = "Ascend advisor; torchtitan",
    },
    RuleWords{
        .rule = "checkpoint-stall",
        .symptom = "Writing a checkpoint stops training for a while.",
        .detection = "Save spans during which no kernel runs.",
        .threshold = "1 % of the step, amortised (ours).",
        .saving = "hi: exposed time; an asynchronous save still pays for the copy.",
        .pytorch = "torch.distributed.checkpoint.async_save",
        .tensorflow = "CheckpointOptions(experimental_enable_async_checkpoint=True)",
        .jax = "orbax AsyncCheckpointer",
        .false_alarms = "In a short profile one save weighs more than in the run.",
        .refuted_by = "Saves that overlap with compute.",
        .sources = "PyTorch, Orbax and TensorFlow documentation",
    },
    RuleWords{
        .rule = "debug-apis-left-on",
        .symptom = "A debugging switch that slows every op was left on.",
        .detection = "NaN checks after most ops, numeric checks in the graph, one synchronising "
                     "call per launch, prints on the critical path.",
        .threshold =
            "10 checks a step (ours); sync/launch ≥ 0.5 (Ascend advisor); prints 5 % (XProf).",
        .saving = "hi: host and device time of the checks and idle after their waits.",
        .pytorch = "torch.autograd.set_detect_anomaly(False); unset CUDA_LAUNCH_BLOCKING",
        .tensorflow = "disable tf.debugging.enable_check_numerics",
        .jax = "jax.config.update(\"jax_debug_nans\", False)",
        .false_alarms = "A gradient scaler's own check, once a step, is right.",
        .refuted_by = "The checks were meant.",
        .sources = "Ascend advisor; XProf",
    },
    RuleWords{
        .rule = "step-time-outliers",
        .symptom = "Most steps are fast but some are several times slower.",
        .detection = "Modified z-score of the step times.",
        .threshold = "3.5 (XProf), and twice the median (ours).",
        .saving = "hi: mean minus median, exact for a run without outliers.",
        .pytorch = "see what the long steps do beside training: evaluation, logging, checkpoint, "
                   "collection",
        .tensorflow =
            "see what the long steps do beside training: evaluation, callbacks, checkpoint",
        .jax = "see what the long steps do beside training: evaluation, logging, checkpoint",
        .false_alarms = "Evaluation and checkpoints at fixed intervals are wanted.",
        .refuted_by = "Outliers only while profiling.",
        .sources = "XProf; SageMaker Debugger",
    },
};

}  // namespace

std::span<const RuleWords> HostWords() { return kWords; }

}  // namespace stepscope
