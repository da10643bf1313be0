#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "cpu-isa-unused",
        .symptom = "The CPU has vector instructions that the binary does not use.",
        .detection = "The log, or the CPU against what the build uses; CPU math matters.",
        .threshold = "20 % of the step in CPU math (ours).",
        .saving = "Unknown until measured.",
        .pytorch = "do not set ATEN_CPU_CAPABILITY",
        .tensorflow = "official wheel with TF_ENABLE_ONEDNN_OPTS=1, or --copt=-march=native",
        .false_alarms = "The line appears although oneDNN dispatches at run time.",
        .refuted_by = "oneDNN ops dominate.",
        .sources = "TensorFlow performance guide",
    },
    RuleWords{
        .rule = "thread-oversubscription",
        .symptom = "More runnable compute threads than cores: threads fight for cores.",
        .detection = "Pool sizes × processes against the physical cores.",
        .threshold = "2 × (ours).",
        .saving = "Only a measurement tells.",
        .pytorch = "torch.set_num_threads(cores // processes)",
        .tensorflow = "intra = physical cores, inter = sockets",
        .jax = "XLA_FLAGS=--xla_cpu_multi_thread_eigen=false",
        .onnx_runtime = "intra_op_num_threads = physical cores",
        .false_alarms = "Threads of a pool that sleep do no harm; only a measurement tells.",
        .refuted_by = "Faster with more threads.",
        .sources = "TensorFlow performance guide; SageMaker Debugger",
    },
    RuleWords{
        .rule = "thread-pools-misconfigured",
        .symptom =
            "The thread pools are too small for the machine, so cores idle in CPU execution.",
        .detection = "Mean number of threads inside ops while any is, against the cores.",
        .threshold = "Half of the cores (ours).",
        .saving = "hi: op time at 80 % scaling.",
        .pytorch = "torch.set_num_threads(physical cores)",
        .tensorflow = "tf.config.threading.set_intra_op_parallelism_threads(physical cores)",
        .jax = "XLA_FLAGS=--xla_cpu_multi_thread_eigen=true",
        .onnx_runtime = "intra_op_num_threads; ORT_PARALLEL for branchy graphs",
        .false_alarms = "Many cores on tiny ops are slower.",
        .refuted_by = "No gain with more threads.",
        .sources = "TensorFlow performance guide",
    },
    RuleWords{
        .rule = "mkl-openmp-env",
        .symptom = "OpenMP settings known to matter for Intel CPUs are unset or harmful.",
        .detection = "Intel OpenMP in use, and the environment.",
        .threshold = "Values of the performance guide.",
        .saving = "Try and measure.",
        .pytorch = "export KMP_BLOCKTIME=0 OMP_NUM_THREADS=<physical cores>",
        .tensorflow = "export KMP_BLOCKTIME=0 KMP_AFFINITY=granularity=fine,compact,1,0",
        .false_alarms = "Depends on the model.",
        .refuted_by = "No change.",
        .sources = "TensorFlow performance guide; PyTorch tuning guide",
    },
    RuleWords{
        .rule = "numa-cross-socket",
        .symptom = "The process runs across CPU sockets and pays for remote memory.",
        .detection = "Two or more NUMA nodes and nothing that binds the process.",
        .threshold = "Presence.",
        .saving = "Only a second run tells; ONNX Runtime saw almost 20 %.",
        .pytorch = "numactl --cpunodebind=0 --membind=0 python …",
        .tensorflow = "numactl --cpunodebind=0 --membind=0 python …",
        .jax = "numactl --cpunodebind=0 --membind=0 python …",
        .onnx_runtime = "session.intra_op_thread_affinities",
        .false_alarms = "A scheduler that pins the job elsewhere (a container, srun) is not seen.",
        .refuted_by = "As fast when bound.",
        .sources = "ONNX Runtime",
    },
};

}  // namespace

std::span<const RuleWords> CpuWords() { return kWords; }

}  // namespace stepscope
