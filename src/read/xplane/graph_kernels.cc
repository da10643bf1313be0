#include "read/xplane/graph_kernels.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "read/xplane/hlo_ops.h"

namespace stepscope::xplane {
namespace {

// One instruction that runs something, as its kernel would be called.
struct Scheduled {
  std::string_view instruction;
  std::string kernel;
  bool library = false;  // a call of cuBLAS, cuDNN …: its kernel has a name of its own
};
using Schedule = std::vector<Scheduled>;  // of a computation

std::vector<Schedule> SchedulesOf(const HloModule& module) {
  std::vector<Schedule> schedules;
  for (const HloInstruction& instruction : module.instructions) {
    if (CostsNothing(instruction.opcode)) continue;
    if (instruction.computation >= schedules.size()) schedules.resize(instruction.computation + 1);
    schedules[instruction.computation].push_back(
        {instruction.name, KernelNameOf(instruction.name), instruction.opcode == "custom-call"});
  }
  return schedules;
}

// "loop_add_fusion_3" is a "loop_add_fusion".
std::string_view StemOf(std::string_view kernel) {
  const size_t last = kernel.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == kernel.size() || kernel[last] != '_') {
    return kernel;
  }
  return kernel.substr(0, last);
}

class GraphKernels {
 public:
  GraphKernels(const std::vector<HloModule>& modules, Trace& trace) : trace_(trace) {
    for (const HloModule& module : modules) {
      for (Schedule& schedule : SchedulesOf(module)) {
        if (schedule.size() < kShortest) continue;
        for (const Scheduled& scheduled : schedule) compiled_.insert(scheduled.kernel);
        schedules_.push_back(std::move(schedule));
      }
    }
  }

  void Run() {
    if (schedules_.empty()) return;
    std::span<DeviceArgs> rows(trace_.device_args);
    while (!rows.empty()) {
      const size_t size = LaunchSize(rows);
      if (rows.front().graph_node != 0) Name(rows.first(size));
      rows = rows.subspan(size);
    }
  }

 private:
  static constexpr size_t kShortest = 2;

  // Rows of one launch stand together where they ran on one stream.
  static size_t LaunchSize(std::span<const DeviceArgs> rows) {
    const auto other = std::ranges::find_if(rows, [&](const DeviceArgs& row) {
      return row.correlation != rows.front().correlation || row.stream != rows.front().stream ||
             (row.graph_node != 0) != (rows.front().graph_node != 0);
    });
    return static_cast<size_t>(other - rows.begin());
  }

  void Name(std::span<DeviceArgs> launch) {
    if (launch.size() < kShortest) return;
    const auto name_of = [&](const DeviceArgs& row) {
      return row.slice == kNoRow ? kEmptyString : trace_.slices.name[row.slice];
    };
    // Launches of one graph come one after the other.
    if (!std::ranges::equal(launch, kernels_, {}, name_of)) {
      kernels_.clear();
      for (const DeviceArgs& row : launch) kernels_.push_back(name_of(row));
      instructions_ = InstructionsOf();
    }
    for (size_t i = 0; i < instructions_.size(); ++i) launch[i].op = instructions_[i];
  }

  // Of the one schedule that fits; none where several say different things.
  std::vector<StringId> InstructionsOf() {
    std::vector<StringId> found;
    for (const Schedule& schedule : schedules_) {
      if (!Fits(schedule)) continue;
      std::vector<StringId> names;
      for (const Scheduled& scheduled : schedule) {
        names.push_back(trace_.strings.Intern(scheduled.instruction));
      }
      if (!found.empty() && found != names) return {};
      found = std::move(names);
    }
    return found;
  }

  bool Fits(const Schedule& schedule) const {
    if (schedule.size() != kernels_.size()) return false;
    size_t fusions = 0, alike = 0;
    for (size_t i = 0; i < schedule.size(); ++i) {
      const std::string_view kernel = trace_.strings[kernels_[i]];
      if (schedule[i].library == compiled_.contains(std::string(kernel))) return false;
      if (schedule[i].library) continue;
      ++fusions;
      alike += StemOf(kernel) == StemOf(schedule[i].kernel) ? 1 : 0;
    }
    return alike * 4 >= fusions * 3;  // equal code may be called after another fusion
  }

  Trace& trace_;
  std::vector<Schedule> schedules_;
  std::unordered_set<std::string> compiled_;  // kernels that XLA made
  std::vector<StringId> kernels_;             // of the launch seen last
  std::vector<StringId> instructions_;        // of those, empty where they are not known
};

}  // namespace

void NameGraphKernels(const std::vector<HloModule>& modules, Trace& trace) {
  GraphKernels(modules, trace).Run();
  trace.traits.resize(trace.strings.size());
}

}  // namespace stepscope::xplane
