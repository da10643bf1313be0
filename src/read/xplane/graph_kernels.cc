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
    const DeviceTable& rows = trace_.device_args;
    for (size_t first = 0; first < rows.size();) {
      const size_t end = EndOfLaunch(first);
      if (rows[first].graph_node != 0) Name(first, end);
      first = end;
    }
  }

 private:
  static constexpr size_t kShortest = 2;

  // Rows of one launch stand together where they ran on one stream.
  size_t EndOfLaunch(size_t first) const {
    const DeviceTable& rows = trace_.device_args;
    const DeviceArgs front = rows[first];
    size_t end = first + 1;
    for (; end < rows.size(); ++end) {
      const DeviceArgs& row = rows[end];
      if (row.correlation != front.correlation || row.stream != front.stream ||
          (row.graph_node != 0) != (front.graph_node != 0)) {
        break;
      }
    }
    return end;
  }

  StringId NameOf(size_t row) const {
    const uint32_t slice = trace_.device_args.SliceOf(row);
    return slice == kNoRow ? kEmptyString : trace_.slices.name[slice];
  }

  bool IsTheOneSeenLast(size_t first, size_t end) const {
    if (end - first != kernels_.size()) return false;
    for (size_t row = first; row < end; ++row) {
      if (NameOf(row) != kernels_[row - first]) return false;
    }
    return true;
  }

  void Name(size_t first, size_t end) {
    if (end - first < kShortest) return;
    // Launches of one graph come one after the other.
    if (!IsTheOneSeenLast(first, end)) {
      kernels_.clear();
      for (size_t row = first; row < end; ++row) kernels_.push_back(NameOf(row));
      instructions_ = InstructionsOf();
    }
    for (size_t i = 0; i < instructions_.size(); ++i) {
      trace_.device_args.SetOp(first + i, instructions_[i]);
    }
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
