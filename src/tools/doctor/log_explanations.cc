#include "tools/doctor/log_explanations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "words/doctor.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDoctorTexts> Say;

// All parts must be in the line. Earlier entries win.
struct KnownMessage {
  std::array<std::string_view, 2> parts;
  CheckStatus status;
  std::string_view means;  // ids of texts
  std::string_view fix;
};

constexpr KnownMessage kMessages[] = {
    {{"libcupti", "annot open"},
     CheckStatus::kBad,
     "doctor.log.cupti-was-not-found-the",
     "doctor.install-cupti"},
    {{"libcupti", "ouldn't open"},
     CheckStatus::kBad,
     "doctor.log.cupti-was-not-found-the",
     "doctor.install-cupti"},
    {{"CUPTI could not be loaded", ""},
     CheckStatus::kBad,
     "doctor.log.cupti-was-not-found-the",
     "doctor.install-cupti"},
    {{"GPU trace was not collected", ""},
     CheckStatus::kBad,
     "doctor.log.the-profile-has-no-gpu",
     "doctor.log.install-cupti-or-ask-doctor"},
    {{"libcupti", "Could not load"},
     CheckStatus::kBad,
     "doctor.log.cupti-was-not-found-the",
     "doctor.install-cupti"},
    {{"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", ""},
     CheckStatus::kBad,
     "doctor.log.the-driver-allows-gpu-counters",
     "doctor.log.options-nvidia-nvreg-restrictprofilingtoadminusers-0"},
    {{"ERR_NVGPUCTRPERM", ""},
     CheckStatus::kBad,
     "doctor.log.the-driver-allows-gpu-counters",
     "doctor.log.options-nvidia-nvreg-restrictprofilingtoadminusers-0-2"},
    {{"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", ""},
     CheckStatus::kBad,
     "doctor.log.another-profiler-is-attached-to",
     "doctor.log.profile-with-one-tool-at"},
    {{"CUPTI_ERROR_NOT_INITIALIZED", ""},
     CheckStatus::kNote,
     "doctor.log.cupti-was-used-before-cuda",
     "doctor.log.start-the-profiler-after-the"},
    {{"CUPTI_ERROR_INVALID_DEVICE", ""},
     CheckStatus::kNote,
     "doctor.log.this-gpu-is-not-supported",
     "doctor.log.use-the-cupti-of-the"},
    {{"CUPTI_ERROR_", ""},
     CheckStatus::kNote,
     "doctor.log.cupti-failed-gpu-rows-may",
     "doctor.log.check-that-cupti-s-version"},
    {{"CUPTI", "dropped"},
     CheckStatus::kNote,
     "doctor.log.the-profiler-lost-events-its",
     "doctor.log.profile-fewer-steps-or-enlarge"},
    {{"not compatible with the current PyTorch", ""},
     CheckStatus::kBad,
     "doctor.log.this-pytorch-has-no-code",
     "doctor.log.install-a-build-for-a"},
    {{"no kernel image is available", ""},
     CheckStatus::kBad,
     "doctor.log.the-library-has-neither-machine",
     "doctor.log.install-a-build-for-this"},
    {{"was not built with CUDA kernel binaries compatible", ""},
     CheckStatus::kNote,
     "doctor.log.kernels-are-compiled-from-ptx",
     "doctor.log.keep-the-kernel-cache-cuda"},
    {{"will be jit-compiled from PTX", ""},
     CheckStatus::kNote,
     "doctor.log.kernels-are-compiled-from-ptx",
     "doctor.log.keep-the-kernel-cache-cuda-2"},
    {{"wasn't compiled to use", ""},
     CheckStatus::kNote,
     "doctor.log.the-cpu-has-instructions-that",
     "doctor.log.upgrade-tensorflow-or-build"},
    {{"not compiled to use:", ""},
     CheckStatus::kNote,
     "doctor.log.the-cpu-has-instructions-that",
     "doctor.log.use-a-build-for-this"},
    {{"To enable the following instructions:", ""},
     CheckStatus::kNote,
     "doctor.log.the-cpu-has-instructions-that-2",
     "doctor.log.mostly-harmless-building-from-source"},
    {{"suggested max number of worker", ""},
     CheckStatus::kNote,
     "doctor.log.more-loader-workers-than-cpus",
     "doctor.log.num-workers-at-most-the"},
    {{"DataLoader worker", "killed by signal: Bus error"},
     CheckStatus::kBad,
     "doctor.log.dev-shm-is-full",
     "doctor.log.docker-run-shm-size-8g"},
    {{"DataLoader worker", "killed"},
     CheckStatus::kBad,
     "doctor.log.a-loader-worker-was-killed",
     "doctor.log.fewer-workers-or-smaller-prefetch"},
    {{"Too many open files", ""},
     CheckStatus::kBad,
     "doctor.log.the-limit-of-open-files",
     "doctor.log.ulimit-n-65536-or-torch"},
    {{"Cannot dlopen some GPU libraries", ""},
     CheckStatus::kBad,
     "doctor.log.cuda-libraries-are-missing-everything",
     "doctor.log.pip-install-tensorflow-and-cuda"},
    {{"Could not load dynamic library", "libcud"},
     CheckStatus::kBad,
     "doctor.log.a-cuda-library-was-not",
     "doctor.log.install-the-cuda-version-that"},
    {{"Could not find cuda drivers", ""},
     CheckStatus::kNote,
     "doctor.log.no-driver-tensorflow-runs-on",
     "doctor.log.start-the-container-with-gpus"},
    {{"failed call to cuInit", ""},
     CheckStatus::kBad,
     "doctor.log.cuda-could-not-start-no",
     "doctor.log.check-nvidia-smi-cuda-visible"},
    {{"driver version is insufficient", ""},
     CheckStatus::kBad,
     "doctor.log.the-driver-is-older-than",
     "doctor.log.update-the-driver"},
    {{"CUDA out of memory", ""},
     CheckStatus::kBad,
     "doctor.log.the-gpu-s-memory-was",
     "doctor.log.smaller-batch-activation-checkpointing-or"},
    {{"OOM when allocating", ""},
     CheckStatus::kBad,
     "doctor.log.the-gpu-s-memory-was",
     "doctor.log.smaller-batch-or-mixed-precision"},
    {{"exceeds 10% of free system memory", ""},
     CheckStatus::kNote,
     "doctor.log.one-allocation-takes-more-than",
     "doctor.log.mostly-harmless-once-repeated-the"},
    {{"retracing", "tf.function"},
     CheckStatus::kNote,
     "doctor.log.tf-function-is-traced-again",
     "doctor.log.pass-tensors-instead-of-python"},
    {{"recompile_limit", ""},
     CheckStatus::kNote,
     "doctor.log.torch-compile-gave-up-shapes",
     "doctor.log.torch-compile-dynamic-true-or"},
    {{"cache_size_limit", ""},
     CheckStatus::kNote,
     "doctor.log.torch-compile-gave-up-shapes",
     "doctor.log.torch-compile-dynamic-true-or"},
    {{"Very slow compile", ""},
     CheckStatus::kNote,
     "doctor.log.xla-compiles-for-minutes",
     "doctor.log.compile-fewer-shapes-keep-the"},
    {{"lowered to run on CPU", ""},
     CheckStatus::kNote,
     "doctor.log.an-op-has-no-gpu",
     "doctor.log.look-at-its-device-in"},
    {{"your input ran out of data", ""},
     CheckStatus::kNote,
     "doctor.log.the-dataset-ended-before-the",
     "doctor.log.dataset-repeat"},
    {{"The calling iterator did not fully read", ""},
     CheckStatus::kNote,
     "doctor.log.cache-before-the-whole-set",
     "doctor.log.take-k-cache-repeat-instead"},
    {{"NCCL WARN", ""},
     CheckStatus::kNote,
     "doctor.log.nccl-warns",
     "doctor.log.nccl-debug-info-tells-more"},
    {{"Watchdog caught collective operation timeout", ""},
     CheckStatus::kBad,
     "doctor.log.a-rank-did-not-arrive",
     "doctor.log.look-for-the-rank-that"},
    {{"find_unused_parameters=True was specified", ""},
     CheckStatus::kNote,
     "doctor.log.ddp-looks-for-unused-parameters",
     "doctor.log.find-unused-parameters-false"},
    {{"Grad strides do not match bucket view strides", ""},
     CheckStatus::kNote,
     "doctor.log.ddp-copies-gradients-because-their",
     "doctor.log.keep-parameters-and-gradients-in"},
    {{"OMP_NUM_THREADS", "to be 1 in default"},
     CheckStatus::kNote,
     "doctor.log.torchrun-set-one-cpu-thread",
     "doctor.log.set-omp-num-threads-to"},
    {{"using Python's built-in protobuf", ""},
     CheckStatus::kBad,
     "doctor.log.pure-python-protobuf-traced-runs",
     "doctor.log.pip-install-upgrade-protobuf"},
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
      made.means = Message(FindText(message->means), {});
      if (!message->fix.empty()) made.fix = Message(FindText(message->fix), {});
      for (const std::string_view mark :
           {"not compiled to use:", "To enable the following instructions:"}) {
        const std::string names = NamedAfter(line, mark);
        if (!names.empty()) made.means = Say("doctor.named", std::move(made.means), names);
      }
    }
    ++found[at->second].times;
  }
  return found;
}

}  // namespace stepscope
