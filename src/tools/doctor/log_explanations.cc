#include "tools/doctor/log_explanations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace stepscope {
namespace {

// All parts must be in the line. Earlier entries win.
struct KnownMessage {
  std::array<std::string_view, 2> parts;
  CheckStatus status;
  std::string_view means;
  std::string_view fix;
};

constexpr KnownMessage kMessages[] = {
    {{"libcupti", "annot open"},
     CheckStatus::kBad,
     "CUPTI was not found: the profile has no GPU rows",
     "apt-get install libcupti-dev, pip install nvidia-cuda-cupti-cu12, or add "
     "/usr/local/cuda/extras/CUPTI/lib64 to LD_LIBRARY_PATH"},
    {{"libcupti", "ouldn't open"},
     CheckStatus::kBad,
     "CUPTI was not found: the profile has no GPU rows",
     "apt-get install libcupti-dev, pip install nvidia-cuda-cupti-cu12, or add "
     "/usr/local/cuda/extras/CUPTI/lib64 to LD_LIBRARY_PATH"},
    {{"CUPTI could not be loaded", ""},
     CheckStatus::kBad,
     "CUPTI was not found: the profile has no GPU rows",
     "apt-get install libcupti-dev, pip install nvidia-cuda-cupti-cu12, or add "
     "/usr/local/cuda/extras/CUPTI/lib64 to LD_LIBRARY_PATH"},
    {{"GPU trace was not collected", ""},
     CheckStatus::kBad,
     "the profile has no GPU rows: CUPTI was missing or not allowed",
     "apt-get install libcupti-dev, pip install nvidia-cuda-cupti-cu12; stepscope doctor says "
     "which of the two it is"},
    {{"libcupti", "Could not load"},
     CheckStatus::kBad,
     "CUPTI was not found: the profile has no GPU rows",
     "apt-get install libcupti-dev, pip install nvidia-cuda-cupti-cu12, or add "
     "/usr/local/cuda/extras/CUPTI/lib64 to LD_LIBRARY_PATH"},
    {{"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", ""},
     CheckStatus::kBad,
     "the driver allows GPU counters to administrators only",
     "options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then reboot; or "
     "run with CAP_SYS_ADMIN (docker run --cap-add=SYS_ADMIN)"},
    {{"ERR_NVGPUCTRPERM", ""},
     CheckStatus::kBad,
     "the driver allows GPU counters to administrators only",
     "options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then reboot"},
    {{"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", ""},
     CheckStatus::kBad,
     "another profiler is attached to the same process",
     "Profile with one tool at a time: nsys, DCGM and the framework's profiler exclude each other"},
    {{"CUPTI_ERROR_NOT_INITIALIZED", ""},
     CheckStatus::kNote,
     "CUPTI was used before CUDA was, or after it had ended",
     "Start the profiler after the first GPU op"},
    {{"CUPTI_ERROR_INVALID_DEVICE", ""},
     CheckStatus::kNote,
     "this GPU is not supported by the CUPTI that was loaded",
     "Use the CUPTI of the driver's CUDA version"},
    {{"CUPTI_ERROR_", ""},
     CheckStatus::kNote,
     "CUPTI failed: GPU rows may be missing",
     "Check that CUPTI's version is that of CUDA (stepscope doctor lists both)"},
    {{"CUPTI", "dropped"},
     CheckStatus::kNote,
     "the profiler lost events: its buffers were full",
     "Profile fewer steps, or enlarge the buffers"},
    {{"not compatible with the current PyTorch", ""},
     CheckStatus::kBad,
     "this PyTorch has no code for this GPU",
     "Install a build for a newer CUDA"},
    {{"no kernel image is available", ""},
     CheckStatus::kBad,
     "the library has neither machine code nor PTX for this GPU",
     "Install a build for this GPU; stepscope doctor lists the architectures of each framework"},
    {{"was not built with CUDA kernel binaries compatible", ""},
     CheckStatus::kNote,
     "kernels are compiled from PTX at start-up, which can take half an hour",
     "Keep the kernel cache (CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE=4294967296) or install a build "
     "for "
     "this GPU"},
    {{"will be jit-compiled from PTX", ""},
     CheckStatus::kNote,
     "kernels are compiled from PTX at start-up, which can take half an hour",
     "Keep the kernel cache (CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE=4294967296)"},
    {{"wasn't compiled to use", ""},
     CheckStatus::kNote,
     "the CPU has instructions that this build does not use",
     "pip install --upgrade tensorflow (its oneDNN kernels choose at run time), or a build for "
     "this CPU"},
    {{"not compiled to use:", ""},
     CheckStatus::kNote,
     "the CPU has instructions that this build does not use",
     "Use a build for this CPU, or a framework with oneDNN, which chooses at run time"},
    {{"To enable the following instructions:", ""},
     CheckStatus::kNote,
     "the CPU has instructions that this build uses in oneDNN kernels only",
     "Mostly harmless; building from source with -march=native uses them everywhere"},
    {{"suggested max number of worker", ""},
     CheckStatus::kNote,
     "more loader workers than CPUs: they take turns and cost memory",
     "num_workers at most the number of CPUs that the job may use (stepscope doctor says how "
     "many)"},
    {{"DataLoader worker", "killed by signal: Bus error"},
     CheckStatus::kBad,
     "/dev/shm is full",
     "docker run --shm-size=8g or --ipc=host"},
    {{"DataLoader worker", "killed"},
     CheckStatus::kBad,
     "a loader worker was killed, usually for lack of memory",
     "Fewer workers, or smaller prefetch_factor"},
    {{"Too many open files", ""},
     CheckStatus::kBad,
     "the limit of open files was reached",
     "ulimit -n 65536, or torch.multiprocessing.set_sharing_strategy('file_system')"},
    {{"Cannot dlopen some GPU libraries", ""},
     CheckStatus::kBad,
     "CUDA libraries are missing: everything runs on the CPU",
     "pip install tensorflow[and-cuda], or add the CUDA libraries to LD_LIBRARY_PATH"},
    {{"Could not load dynamic library", "libcud"},
     CheckStatus::kBad,
     "a CUDA library was not found: GPUs are not used",
     "Install the CUDA version that the framework was built for, or set LD_LIBRARY_PATH"},
    {{"Could not find cuda drivers", ""},
     CheckStatus::kNote,
     "no driver: TensorFlow runs on the CPU",
     "Start the container with --gpus all"},
    {{"failed call to cuInit", ""},
     CheckStatus::kBad,
     "CUDA could not start: no GPU is used",
     "Check nvidia-smi, CUDA_VISIBLE_DEVICES and --gpus all"},
    {{"driver version is insufficient", ""},
     CheckStatus::kBad,
     "the driver is older than the CUDA of the framework",
     "Update the driver"},
    {{"CUDA out of memory", ""},
     CheckStatus::kBad,
     "the GPU's memory was full",
     "Smaller batch, activation checkpointing, or "
     "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True against fragmentation"},
    {{"OOM when allocating", ""},
     CheckStatus::kBad,
     "the GPU's memory was full",
     "Smaller batch, or mixed precision"},
    {{"exceeds 10% of free system memory", ""},
     CheckStatus::kNote,
     "one allocation takes more than a tenth of the free memory",
     "Mostly harmless once; repeated, "
     "the batch is too large for the host"},
    {{"retracing", "tf.function"},
     CheckStatus::kNote,
     "tf.function is traced again and again, and each time costs seconds",
     "Pass tensors instead of Python numbers, give an input_signature, reduce_retracing=True"},
    {{"recompile_limit", ""},
     CheckStatus::kNote,
     "torch.compile gave up: shapes or guards change each time",
     "torch.compile(dynamic=True), or mark_dynamic"},
    {{"cache_size_limit", ""},
     CheckStatus::kNote,
     "torch.compile gave up: shapes or guards change each time",
     "torch.compile(dynamic=True), or mark_dynamic"},
    {{"Very slow compile", ""},
     CheckStatus::kNote,
     "XLA compiles for minutes",
     "Compile fewer shapes; keep the compilation cache"},
    {{"lowered to run on CPU", ""},
     CheckStatus::kNote,
     "an op has no GPU kernel",
     "Look at its device in stepscope report"},
    {{"your input ran out of data", ""},
     CheckStatus::kNote,
     "the dataset ended before the epoch",
     "dataset.repeat()"},
    {{"The calling iterator did not fully read", ""},
     CheckStatus::kNote,
     "cache() before the whole set was read: the partial cache is thrown away",
     "take(k).cache().repeat() instead of cache().take(k).repeat()"},
    {{"NCCL WARN", ""}, CheckStatus::kNote, "NCCL warns", "NCCL_DEBUG=INFO tells more"},
    {{"Watchdog caught collective operation timeout", ""},
     CheckStatus::kBad,
     "a rank did not arrive at a collective",
     "Look for the rank that is behind or has crashed"},
    {{"find_unused_parameters=True was specified", ""},
     CheckStatus::kNote,
     "DDP looks for unused parameters in every step although there are none",
     "find_unused_parameters=False"},
    {{"Grad strides do not match bucket view strides", ""},
     CheckStatus::kNote,
     "DDP copies gradients because their layout differs",
     "Keep parameters and gradients in one memory format"},
    {{"OMP_NUM_THREADS", "to be 1 in default"},
     CheckStatus::kNote,
     "torchrun set one CPU thread per process",
     "Set OMP_NUM_THREADS to cores / processes yourself (stepscope doctor says how many)"},
    {{"using Python's built-in protobuf", ""},
     CheckStatus::kBad,
     "pure-Python protobuf: traced runs are many times slower",
     "pip install --upgrade protobuf"},
};

bool Matches(std::string_view line, const KnownMessage& message) {
  return std::ranges::all_of(
      message.parts, [&](std::string_view part) { return part.empty() || line.contains(part); });
}

// The instructions that a "not compiled to use: AVX2 FMA" line names.
std::string NamedAfter(std::string_view line, std::string_view mark) {
  const size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + mark.size());
  rest = rest.substr(0, rest.find(','));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return std::string(rest);
}

}  // namespace

std::vector<LogExplanation> ExplainLog(std::string_view log) {
  std::vector<LogExplanation> found;
  std::map<const KnownMessage*, size_t> index;
  uint64_t number = 0;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    ++number;
    const KnownMessage* message = std::ranges::find_if(
        kMessages, [&](const KnownMessage& one) { return Matches(line, one); });
    if (message == std::end(kMessages)) continue;
    const auto [at, is_new] = index.try_emplace(message, found.size());
    if (is_new) {
      LogExplanation& made = found.emplace_back();
      made.first_line = number;
      made.line = line.substr(0, 400);
      made.status = message->status;
      made.means = message->means;
      made.fix = message->fix;
      for (const std::string_view mark :
           {"not compiled to use:", "To enable the following instructions:"}) {
        const std::string names = NamedAfter(line, mark);
        if (!names.empty()) made.means += " (" + names + ")";
      }
    }
    ++found[at->second].times;
  }
  return found;
}

}  // namespace stepscope
