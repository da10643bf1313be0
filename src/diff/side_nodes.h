#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "diff/diff.h"
#include "diff/run.h"

namespace stepscope::diff {

// What profiles record differs; only what both sides have may tell nodes apart.
struct Features {
  bool modules = true, shapes = true, types = true, passes = true, lines = true;
};
Features FeaturesOf(std::span<const Run> runs);
Features Common(const Features& a, const Features& b);

struct SideKernel {
  std::string name;
  KernelCategory category = KernelCategory::kOther;
  int64_t calls = 0, device = 0;  // over all steps of all runs
};

// One node of one side. Values are by step, run after run; steps without it have 0.
struct SideNode {
  NodeKey key;
  uint32_t order = 0;
  std::vector<int64_t> device, host, calls;
  std::vector<SideKernel> kernels;  // by device time
  std::vector<uint32_t> events;
  std::string line;       // of its first atom that has one
  std::string signature;  // families of its kernels: what tells nodes of one name apart

  int64_t total_device() const;
  int64_t total_host() const;
};

struct Side {
  std::vector<SideNode> nodes;
  std::vector<size_t> first_step;  // by run, and one more: where its steps begin
  // The sample of one measure: steps, or medians of runs, or means of calls where the unit is that.
  std::vector<int64_t> Sample(const std::vector<int64_t>& values, Unit unit) const;
  std::vector<int64_t> Sample(const SideNode& node, bool on_device, Unit unit) const;
};

Side SideOf(std::span<const Run> runs, By by, const Features& features);

}  // namespace stepscope::diff
