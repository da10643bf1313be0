#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tools/doctor/doctor.h"
#include "words/doctor.h"

namespace stepscope {
namespace {

constexpr SayFrom<kDoctorTexts> Say;

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

Message Describe(const Gpu& gpu) {
  Message text = Say("doctor.gpu", gpu.index, gpu.name);
  if (!gpu.compute_capability.empty()) {
    text = Say("doctor.gpu-compute", std::move(text), gpu.compute_capability);
  }
  if (gpu.memory_bytes > 0) {
    text = Say("doctor.gpu-memory", std::move(text), static_cast<double>(gpu.memory_bytes) / kGiB,
               static_cast<double>(gpu.memory_used) / kGiB);
  }
  if (gpu.max_sm_clock_mhz > 0) {
    text = Say("doctor.gpu-clock", std::move(text), gpu.sm_clock_mhz, gpu.max_sm_clock_mhz);
  }
  if (gpu.max_pcie_generation > 0) {
    text = Say("doctor.gpu-pcie", std::move(text), gpu.pcie_generation, gpu.pcie_width);
  }
  if (gpu.nvlinks > 0) text = Say("doctor.gpu-nvlinks", std::move(text), gpu.nvlinks);
  return text;
}

// A link that was trained narrower than it could be stays slow; a lower generation at rest is
// normal.
Check CheckGpu(const Gpu& gpu) {
  const bool narrow = gpu.max_pcie_width > 0 && gpu.pcie_width < gpu.max_pcie_width;
  return {"gpu", narrow ? CheckStatus::kNote : CheckStatus::kFine, Describe(gpu),
          narrow ? Say("doctor.pcie-narrow", gpu.pcie_width, gpu.max_pcie_width) : Message()};
}

void CheckPeers(const Machine& machine, std::vector<Check>& checks) {
  const size_t count = machine.gpus.size();
  if (count < 2 || machine.links.size() != count) return;
  size_t nvlink = 0;
  size_t across = 0;
  size_t pairs = 0;
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 1; j < std::min(count, machine.links[i].size()); ++j) {
      ++pairs;
      nvlink += machine.links[i][j].starts_with("NV") ? 1 : 0;
      across += machine.links[i][j] == "SYS" ? 1 : 0;
    }
  }
  if (nvlink == pairs) {
    checks.push_back({"gpu", CheckStatus::kFine, Say("doctor.all-peers", count), ""});
    return;
  }
  checks.push_back({"gpu", across > 0 ? CheckStatus::kNote : CheckStatus::kFine,
                    Say("doctor.pairs", nvlink, pairs, across),
                    across > 0 ? Say("doctor.across") : Message()});
}

}  // namespace

std::vector<size_t> VisibleGpus(const Machine& machine) {
  std::vector<size_t> visible;
  const auto variable = machine.environment.find("CUDA_VISIBLE_DEVICES");
  if (variable == machine.environment.end()) {
    for (size_t i = 0; i < machine.gpus.size(); ++i) visible.push_back(i);
    return visible;
  }
  std::string_view list = variable->second;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view item = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    size_t index = machine.gpus.size();
    const char* end = item.data() + item.size();
    const bool number = !item.empty() && std::from_chars(item.data(), end, index).ptr == end;
    if (!number) {
      const auto gpu = std::ranges::find_if(machine.gpus, [&](const Gpu& one) {
        return !item.empty() && one.uuid.starts_with(item);
      });
      index = static_cast<size_t>(gpu - machine.gpus.begin());
    }
    // CUDA stops at the first entry that names no GPU.
    if (index >= machine.gpus.size()) break;
    visible.push_back(index);
  }
  return visible;
}

std::vector<Check> CheckGpus(const Machine& machine) {
  std::vector<Check> checks;
  if (machine.driver.source.empty()) {
    const bool broken = !machine.driver.fault.empty();
    checks.push_back({"gpu", broken ? CheckStatus::kBad : CheckStatus::kFine,
                      broken ? machine.driver.fault : Say("doctor.no-gpu"),
                      broken ? Say("doctor.load-driver") : Message()});
    return checks;
  }
  checks.push_back({"gpu", CheckStatus::kFine,
                    machine.driver.cuda.empty()
                        ? Say("doctor.driver", machine.driver.version, machine.driver.source)
                        : Say("doctor.driver-cuda", machine.driver.version, machine.driver.cuda,
                              machine.driver.source),
                    ""});
  for (const Gpu& gpu : machine.gpus) checks.push_back(CheckGpu(gpu));
  CheckPeers(machine, checks);
  const size_t visible = VisibleGpus(machine).size();
  if (visible < machine.gpus.size()) {
    checks.push_back({"gpu", visible == 0 ? CheckStatus::kBad : CheckStatus::kNote,
                      Say("doctor.visible", visible, machine.gpus.size()),
                      visible == 0 ? Say("doctor.unset-visible") : Message()});
  }
  return checks;
}

}  // namespace stepscope
