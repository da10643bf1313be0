#include "advise/device_use.h"

#include <algorithm>
#include <optional>

#include "base/flat_index.h"

namespace stepscope {
namespace {

// Kernels shorter than this do little but start.
constexpr DurationNs kStartUpOnly{5'000};

// Blocks of a kernel for each multiprocessor: as the profile says, else from the grid; < 0:
// unknown.
double BlocksPerSm(const Evidence& e, const DeviceArgs& args) {
  if (args.blocks_per_sm >= 0) return static_cast<double>(args.blocks_per_sm);
  const std::optional<int32_t> sms = e.device_facts()->sm_count;
  const double blocks = static_cast<double>(args.grid[0]) * args.grid[1] * args.grid[2];
  return sms && *sms > 0 && blocks > 0 ? blocks / *sms : -1;
}

}  // namespace

bool Gpu(const Evidence& e) {
  return e.has_device_work() && e.device_facts()->type == DeviceType::kGpu;
}

const HardwareRow* PeakRates(const Evidence& e) {
  if (const HardwareRow* row = HardwareOf(*e.device_facts())) return row;
  const auto index = static_cast<size_t>(e.device_facts()->index);
  if (e.machine == nullptr || index >= e.machine->gpus.size()) return nullptr;
  Device device;
  device.name = e.machine->gpus[index].name;
  device.compute_capability = e.machine->gpus[index].compute_capability;
  return HardwareOf(device);
}

std::string NameOfGpu(const Evidence& e) {
  return e.device_facts()->name.empty() ? e.device_name() : e.device_facts()->name;
}

std::vector<DeviceUse> DeviceUseByName(const Evidence& e, DurationNs& unknown) {
  FlatIndex names;
  std::vector<DeviceUse> uses;
  for (const StepSpan& span : e.kernels()) {
    // Matrix work and attention run with few threads on purpose: only idle multiprocessors count.
    const KernelCategory category = e.trace.Traits(span.slice).category;
    const bool few_threads = category == KernelCategory::kGemm ||
                             category == KernelCategory::kAttention ||
                             category == KernelCategory::kConvolution;
    const DeviceArgs& args = e.trace.DeviceOf(span.slice);
    const double blocks = BlocksPerSm(e, args);
    const DurationNs time = e.trace.slices.duration[span.slice];
    // Bookkeeping that does little but start would take as long on more multiprocessors.
    if (!few_threads && time < kStartUpOnly) continue;
    if (blocks < 0) {
      if (!few_threads) unknown += time;
      continue;
    }
    const uint32_t at = names.Of(Index(e.trace.slices.name[span.slice]));
    if (at == uses.size()) uses.push_back({.name = e.trace.slices.name[span.slice]});
    const double occupancy =
        few_threads || args.occupancy_percent < 0 ? 100 : args.occupancy_percent;
    uses[at].time += time;
    uses[at].blocks += std::min(1.0, blocks) * static_cast<double>(time.ns);
    uses[at].occupancy += occupancy * static_cast<double>(time.ns);
  }
  for (DeviceUse& use : uses) {
    const auto whole = static_cast<double>(std::max<int64_t>(use.time.ns, 1));
    use.blocks /= whole;
    use.occupancy /= whole;
    use.time = e.PerStep(use.time);
  }
  return uses;
}

}  // namespace stepscope
