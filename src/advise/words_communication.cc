#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "comm-exposed",
        .symptom = "Communication between devices is not hidden behind compute.",
        .detection = "Collectives during which no compute kernel (on a CPU: no other op) runs.",
        .threshold = "3 % moderate, 15 % high (XProf); 10 % (TensorBoard plugin).",
        .saving = "hi: exposed time. lo: without what is waiting for the last rank; 0 from one "
                  "rank alone.",
        .pytorch = "DDP(bucket_cap_mb=…, gradient_as_bucket_view=True), no_sync() for "
                   "accumulation; FSDP prefetch",
        .tensorflow = "MirroredStrategy with NcclAllReduce",
        .jax = "XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true",
        .false_alarms = "A long collective on one rank may wait for another rank.",
        .refuted_by = "All ranks show the same wait.",
        .sources = "XProf; TensorBoard plugin",
    },
    RuleWords{
        .rule = "collective-below-bandwidth",
        .symptom = "Collectives move data much slower than the link allows, often because messages "
                   "are too small.",
        .detection = "Bytes × factor over the time since the last rank arrived.",
        .threshold = "50 % of a measured figure (ours); factors of nccl-tests.",
        .saving = "hi: time beyond the measured rate.",
        .pytorch = "larger buckets; check NVLink and P2P; NCCL_DEBUG=INFO",
        .tensorflow = "larger all-reduce groups",
        .jax = "XLA combine thresholds",
        .false_alarms = "Overlap with compute lowers the rate.",
        .refuted_by = "nccl-tests as slow.",
        .sources = "nccl-tests; Ascend advisor",
    },
    RuleWords{
        .rule = "straggler-or-imbalance",
        .symptom = "One rank is slower, and all the others wait for it.",
        .detection = "Who leaves a collective soonest after arriving came last; how often, and how "
                     "long the others wait.",
        .threshold = "3 % of the step (ours).",
        .saving = "hi: mean wait over ranks.",
        .pytorch =
            "balance tokens per rank; move rank-0 work off; check that rank's clock and input",
        .tensorflow = "balance shards",
        .jax = "balance shards",
        .false_alarms = "Impossible from one rank.",
        .refuted_by = "Ranks that take turns.",
        .sources = "Holistic Trace Analysis; XProf",
    },
    RuleWords{
        .rule = "parallel-wrapper-costly",
        .symptom = "The data-parallel wrapper or its options cost time without need.",
        .detection = "DataParallel spans, gloo on GPUs, the log's warning about unused parameters, "
                     "many synchronised norms.",
        .threshold = "Presence (TensorBoard plugin); 20 norms (Ascend advisor).",
        .saving = "hi: replicate, scatter and gather time.",
        .pytorch = "DistributedDataParallel with nccl; drop find_unused_parameters",
        .tensorflow = "MirroredStrategy",
        .jax = "pmap or jit with sharding",
        .false_alarms = "Control flow may need the flag.",
        .refuted_by = "As slow with DDP.",
        .sources = "TensorBoard plugin; PyTorch",
    },
    RuleWords{
        .rule = "variable-placement",
        .symptom =
            "In a graph for several devices the variables live on a device that does not suit.",
        .detection =
            "Devices of variables and of the math, bytes per device, time in send and receive.",
        .threshold = "3 % of the step, 20 % imbalance (ours).",
        .saving = "hi: exposed sends and receives.",
        .tensorflow = "stepscope graph variables --place gpu:0,gpu:1; a least-loaded device "
                      "setter; MirroredStrategy",
        .false_alarms = "The table of 2017 fits 2017 hardware.",
        .refuted_by = "No traffic on the critical path.",
        .sources = "TensorFlow performance guide",
    },
    RuleWords{
        .rule = "bn-moving-average-stall",
        .symptom = "Batch-norm averages are updated inside the forward pass of every tower, so "
                   "towers wait for each other.",
        .detection = "Averages written from two towers with a control edge into the same tower.",
        .threshold = "Pattern; 2 % of the step (ours).",
        .saving = "hi: exposed time of the updates.",
        .tensorflow =
            "updates_collections=tf.GraphKeys.UPDATE_OPS and control dependencies on the train op",
        .false_alarms = "Updates that are over before the tower needs them stop nobody.",
        .refuted_by = "Towers that never wait.",
        .sources = "TensorFlow tips",
    },
    RuleWords{
        .rule = "idle-visible-gpu",
        .symptom = "GPUs are reserved by the job but run nothing.",
        .detection = "Devices named in the profile without work.",
        .threshold = "1 % (ours).",
        .saving = "GPU hours, no time of the step.",
        .pytorch = "CUDA_VISIBLE_DEVICES=0; torch.cuda.set_device(rank)",
        .tensorflow = "tf.config.set_visible_devices",
        .jax = "CUDA_VISIBLE_DEVICES=0",
        .onnx_runtime = "device_id",
        .false_alarms = "One rank of several uses one device.",
        .refuted_by = "Work there outside of the window.",
        .sources = "TensorFlow tips",
    },
};

}  // namespace

std::span<const RuleWords> CommunicationWords() { return kWords; }

}  // namespace stepscope
