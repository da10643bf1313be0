#include <array>

#include "advise/words.h"
#include "advise/words_tables.h"

namespace stepscope {
namespace {

constexpr std::array kWords{
    RuleWords{
        .rule = "input-bound-step",
        .symptom = "The accelerator waits for the next batch in a large share of the step.",
        .detection = "Per nanosecond in which no kernel runs: the thread that launches the next "
                     "work is inside an input stage.",
        .threshold = "5 % moderate, 20 % high (XProf); the TensorBoard plugin uses 5 %.",
        .saving = "hi: the waiting time. lo: a replay without the wait, never below what four "
                  "workers need for the batch.",
        .pytorch = "DataLoader(..., num_workers=4, persistent_workers=True, pin_memory=True)",
        .tensorflow =
            "ds.map(f, num_parallel_calls=tf.data.AUTOTUNE).batch(n).prefetch(tf.data.AUTOTUNE)",
        .jax = "load batches in a thread and jax.device_put the next one before the step",
        .false_alarms = "On a CPU input and model share the cores: read it as a share, not a "
                        "stall. In jobs of several ranks the wait may hide in another rank.",
        .refuted_by = "A run on random tensors of the same shape that is no faster.",
        .sources = "XProf input pipeline analyser; TensorBoard plugin",
    },
    RuleWords{
        .rule = "input-bound-differential",
        .symptom = "Replacing the model by a trivial one hardly changes examples per second, so "
                   "input sets the pace.",
        .detection =
            "Rates of a full run, of one with a trivial model and of one with synthetic data.",
        .threshold =
            "Trivial at most 1.10 × full (ours); the guide speaks of a minimal difference.",
        .saving = "Measured: full step minus the step with synthetic data.",
        .pytorch = "DataLoader(..., num_workers=4, persistent_workers=True, pin_memory=True)",
        .tensorflow =
            "ds.map(f, num_parallel_calls=tf.data.AUTOTUNE).batch(n).prefetch(tf.data.AUTOTUNE)",
        .jax = "load batches in a thread and jax.device_put the next one before the step",
        .false_alarms = "Synthetic data may change the model (constant rows, no padding): use "
                        "random data of the same shapes.",
        .refuted_by = "A trivial run that is much faster.",
        .sources = "TensorFlow performance guide; DS-Analyzer",
    },
    RuleWords{
        .rule = "tfdata-slow-iterator",
        .symptom =
            "One named tf.data stage is the slowest on the critical path of a slow get-next call.",
        .detection = "The tree of iterators: own time of each stage that blocks its caller in the "
                     "slowest calls.",
        .threshold = "50 µs for a slow call (XProf).",
        .saving = "hi: blocking own time of the stage. Autotuning may move the bottleneck.",
        .tensorflow = "run the stage over several shards at once: "
                      "interleave(..., num_parallel_calls=tf.data.AUTOTUNE)",
        .false_alarms = "The stage is right more often than its time: autotuning shifts it.",
        .refuted_by = "Another stage named after the fix: the pipeline has two slow stages.",
        .sources = "XProf tf.data analysis",
    },
    RuleWords{
        .rule = "missing-prefetch",
        .symptom = "The dataset has no prefetch at its end, so preparing a batch and computing on "
                   "it happen one after the other.",
        .detection =
            "Get-next calls with no Prefetch stage among the iterators, median call above 50 µs.",
        .threshold = "Presence, and 50 µs (TensorFlow guide).",
        .saving = "hi: the smaller of input and compute: their sum becomes the larger one.",
        .pytorch = "num_workers > 0 (prefetch_factor is 2)",
        .tensorflow = "ds = ds.prefetch(tf.data.AUTOTUNE) as the last call",
        .jax = "keep one batch ahead: flax.jax_utils.prefetch_to_device",
        .false_alarms = "Keras and distribution strategies add a device prefetch of their own.",
        .refuted_by = "Get-next as long after adding it.",
        .sources = "TensorFlow data performance guide",
    },
    RuleWords{
        .rule = "sequential-map",
        .symptom = "A per-element function runs on one thread while other cores idle.",
        .detection = "The bottleneck stage is Map and not ParallelMap.",
        .threshold = "Own time at least 5 % of the step; more than one core (ours).",
        .saving = "hi: own time × (1 − 1/p); p is named.",
        .pytorch = "more loader workers",
        .tensorflow = "ds.map(f, num_parallel_calls=tf.data.AUTOTUNE)",
        .false_alarms = "Order may matter: deterministic=True keeps it.",
        .refuted_by = "No gain with parallel calls: the cores were busy.",
        .sources = "TensorFlow data performance guide",
    },
    RuleWords{
        .rule = "sequential-file-reads",
        .symptom = "Files are read one after another although storage would serve several at once.",
        .detection =
            "A reader stage below FlatMap or a sequential Interleave, no ParallelInterleave.",
        .threshold = "Presence; at least two files.",
        .saving = "hi: time in the reader × (1 − 1/4).",
        .pytorch = "split the files over workers (IterableDataset with get_worker_info)",
        .tensorflow = "tf.data.Dataset.list_files(…).interleave(tf.data.TFRecordDataset, "
                      "cycle_length=8, num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)",
        .false_alarms = "On one spinning disk parallel reads can be slower; files in the page "
                        "cache gain nothing.",
        .refuted_by = "Reads at the disk's full rate already.",
        .sources = "TensorFlow data performance guide; XProf",
    },
    RuleWords{
        .rule = "missing-cache-small-dataset",
        .symptom = "A data set that fits in memory is read and decoded again in every epoch.",
        .detection =
            "Size of the files against the memory of the machine, no cache stage, input exposed.",
        .threshold = "Half of the memory (ours).",
        .saving = "hi: the waiting time, from the second epoch on.",
        .pytorch = "keep the decoded tensors in a list or a memory-mapped array",
        .tensorflow = ".map(decode).cache().shuffle(…).map(augment).batch(n)",
        .jax = "jax.device_put the whole set if it fits",
        .false_alarms = "Caching after random augmentation freezes it.",
        .refuted_by = "Input as slow in the second epoch.",
        .sources = "TensorFlow performance guide",
    },
    RuleWords{
        .rule = "many-small-files",
        .symptom = "The data sits in very many small files, so opening files costs more than "
                   "reading them.",
        .detection = "Number and median size of the files, input exposed.",
        .threshold = "10,000 files below 1 MB (ours); shards of about 100 MB (guide).",
        .saving = "hi: the waiting time.",
        .pytorch = "pack into tar shards (WebDataset)",
        .tensorflow = "stepscope data pack DIR -o SHARDS --shard-mb 100",
        .jax = "stepscope data pack DIR -o SHARDS --shard-mb 100",
        .false_alarms = "A fast local disk may not care.",
        .refuted_by = "The same rate from packed shards.",
        .sources = "TensorFlow performance guide",
    },
    RuleWords{
        .rule = "disk-throughput-insufficient",
        .symptom = "The job needs more bytes per second than the storage can give.",
        .detection =
            "Bytes of a batch over the device time of a step against the measured read rate.",
        .threshold = "80 % (ours); usual rates from the performance guide.",
        .saving = "hi: the waiting time.",
        .pytorch = "copy the data to a local SSD or to memory",
        .tensorflow = "copy the data to a local SSD, or cache()",
        .jax = "copy the data to a local SSD",
        .false_alarms = "The page cache makes a small probe look fast.",
        .refuted_by = "No change with the data in memory.",
        .sources = "TensorFlow performance guide; SageMaker Debugger",
    },
    RuleWords{
        .rule = "feed-dict-input",
        .symptom = "Each step receives its batch from Python, copied on the main thread.",
        .detection = "Large placeholders in the graph, or conversion spans in the step.",
        .threshold = "3 % of the step (ours); 1 MB fed.",
        .saving =
            "hi: exposed conversion and copy; unknown where it happens before the recorded run.",
        .pytorch = "DataLoader with pin_memory=True",
        .tensorflow =
            "tf.data instead of feed_dict; tf.data.Dataset.from_tensor_slices(…).prefetch(…)",
        .jax = "jax.device_put ahead of the call",
        .onnx_runtime = "bind device inputs (IOBinding)",
        .false_alarms = "Small feeds (a learning rate) are harmless.",
        .refuted_by = "The same step time from tf.data.",
        .sources = "TensorFlow performance guide",
    },
    RuleWords{
        .rule = "queue-runner-input",
        .symptom = "Old Python-thread input queues feed the graph and starve it.",
        .detection = "Dequeue ops during which nothing computes.",
        .threshold = "5 % (XProf moderate).",
        .saving = "hi: exposed dequeue time.",
        .tensorflow = "port the queue to tf.data; until then more enqueue threads",
        .false_alarms = "A dequeue while the device computes is harmless.",
        .refuted_by = "No wait in the dequeue with more threads.",
        .sources = "TensorFlow tips; TensorFlow performance models",
    },
    RuleWords{
        .rule = "python-in-input",
        .symptom = "The input pipeline calls back into Python, one call at a time under the "
                   "interpreter lock.",
        .detection = "Python calls below dataset functions that never overlap: their sum is hardly "
                     "more than their union.",
        .threshold = "Ratio 1.2 (ours).",
        .saving = "hi: exposed time of the calls.",
        .pytorch = "workers are processes: the lock is per worker",
        .tensorflow = "rewrite the function in TensorFlow ops; py_function only at the edge",
        .false_alarms = "NumPy code that releases the lock does overlap.",
        .refuted_by = "Calls that overlap.",
        .sources = "TensorFlow profiler guide",
    },
    RuleWords{
        .rule = "jpeg-decode-crop-unfused",
        .symptom = "Whole JPEG images are decoded and most pixels are cropped away.",
        .detection = "A decode whose output goes to a crop before any resize, no fused op.",
        .threshold = "Pattern; the guide quotes up to 30 % of an ImageNet pipeline.",
        .saving = "hi: 30 % of the exposed decode time.",
        .pytorch =
            "DALI's decoders.image_random_crop or TurboJPEG: torchvision decodes whole images",
        .tensorflow = "tf.image.decode_and_crop_jpeg(bytes, window)",
        .jax = "tf.image.decode_and_crop_jpeg in the tf.data pipeline",
        .false_alarms = "PNG has no such op.",
        .refuted_by = "A crop that keeps most of the image.",
        .sources = "TensorFlow performance guide",
    },
    RuleWords{
        .rule = "preprocessing-on-gpu",
        .symptom = "Input preprocessing runs on the GPU in the training stream and takes time from "
                   "the model.",
        .detection = "Image ops (resize, contrast, hue) among the device ops.",
        .threshold = "5 % of the step (ours), and the step is not input-bound.",
        .saving = "hi: their device time.",
        .pytorch = "move transforms into the loader workers",
        .tensorflow = "move the layers into ds.map(…)",
        .jax = "preprocess in the tf.data or grain pipeline",
        .false_alarms = "With few cores per GPU it is right to do it there.",
        .refuted_by = "Input-bound after the move.",
        .sources = "TensorFlow performance guide; TensorFlow profiler guide",
    },
    RuleWords{
        .rule = "dataloader-workers-zero",
        .symptom = "The PyTorch DataLoader loads batches in the training process itself.",
        .detection = "The span is _SingleProcessDataLoaderIter and its wait matters.",
        .threshold = "5 % (TensorBoard plugin); pattern of torch.profiler.",
        .saving = "hi: the waiting time. lo: bounded by what four workers deliver.",
        .pytorch = "DataLoader(..., num_workers=4, persistent_workers=True, pin_memory=True)",
        .false_alarms = "Tiny in-memory data sets are faster without workers.",
        .refuted_by = "A run with workers that is no faster.",
        .sources = "torch.profiler pattern matcher; TensorBoard plugin",
    },
    RuleWords{
        .rule = "dataloader-workers-mismatch",
        .symptom = "There are too few or too many loader workers for the cores available.",
        .detection = "PyTorch's own warning in the log, or workers × ranks against the cores.",
        .threshold = "70 % and 200 % of the cores (SageMaker Debugger).",
        .saving =
            "Too few: the waiting time × (1 − workers/cores). Too many: only a measurement tells.",
        .pytorch = "num_workers = cores per rank − 1; torch.set_num_threads(1) in workers",
        .false_alarms = "Workers that mostly wait for storage may well outnumber the cores.",
        .refuted_by = "No change with the suggested number.",
        .sources = "SageMaker Debugger; PyTorch",
    },
    RuleWords{
        .rule = "input-epoch-boundary-stall",
        .symptom = "The first batches of every epoch are slow because workers, iterators or the "
                   "shuffle buffer start again.",
        .detection = "The first get-next of a window against the others of the same window, in "
                     "several windows.",
        .threshold = "3 × (ours).",
        .saving = "hi: the excess of the first call, per step.",
        .pytorch = "DataLoader(..., persistent_workers=True)",
        .tensorflow =
            "shuffle before repeat only with a small buffer; repeat() inside the pipeline",
        .jax = "create the iterator once",
        .false_alarms = "Validation at the border may be the true cause.",
        .refuted_by = "The stall stays with persistent workers.",
        .sources = "TensorFlow data performance guide",
    },
    RuleWords{
        .rule = "map-function-too-small",
        .symptom = "A tiny per-element map is dominated by the cost of calling it.",
        .detection =
            "Many short calls of the captured function a step, in a stage that does little "
            "else.",
        .threshold = "32 calls below 50 µs that are less than half of the stage (ours); a call "
                     "costs about 10 µs.",
        .saving = "hi: what the stage takes beyond the function.",
        .pytorch = "do it in collate_fn or on the device",
        .tensorflow = "ds.batch(n).map(f_on_batch)",
        .false_alarms =
            "A function that starts its work on other threads looks shorter than it is.",
        .refuted_by = "As slow after batching.",
        .sources = "TensorFlow data performance guide",
    },
    RuleWords{
        .rule = "input-cpu-saturated",
        .symptom = "The input pipeline is well built but the host has no CPU left.",
        .detection =
            "Input-bound, prefetching, mapping in parallel, and more than 90 % of the cores busy.",
        .threshold = "90 % (SageMaker Debugger).",
        .saving = "hi: the waiting time; parallelism cannot win it.",
        .pytorch = "fewer or cheaper transforms, uint8 until the device, GPU decoding",
        .tensorflow = "cache(), smaller stored images, the tf.data service",
        .jax = "the tf.data service, offline preprocessing",
        .false_alarms =
            "Busy threads are counted by their spans: one that waits inside a span counts as busy.",
        .refuted_by = "Idle cores in a system monitor.",
        .sources = "SageMaker Debugger",
    },
    RuleWords{
        .rule = "host-thread-contention",
        .symptom = "Input threads delay the thread that launches kernels.",
        .detection = "Launch-bound while dataset threads are busy and more threads run than there "
                     "are cores.",
        .threshold = "3 % (XProf).",
        .saving = "hi: idle time in launching.",
        .pytorch = "fewer workers, torch.set_num_threads",
        .tensorflow = "TF_GPU_THREAD_MODE=gpu_private; options.threading.private_threadpool_size",
        .false_alarms = "Launches also stretch for other reasons: slow Python, profiling itself.",
        .refuted_by = "Launches as slow without input threads.",
        .sources = "XProf",
    },
};

}  // namespace

std::span<const RuleWords> InputWords() { return kWords; }

}  // namespace stepscope
