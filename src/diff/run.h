#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/idle/cause.h"
#include "trace/names.h"

// What a comparison knows of one run of a program. It owns all of it and needs no trace: a run
// comes from a trace, from a stored baseline or from `report --json`.
namespace stepscope::diff {

// Where a step's time goes on one device; the parts add up to the step.
struct Parts {
  int64_t compute = 0, exposed_communication = 0, exposed_copy = 0, exposed_memset = 0, idle = 0;
  std::array<int64_t, kCauses> idle_causes{};  // adds up to idle
};

struct DeviceOfStep {
  Parts parts;
  int64_t work = 0;  // durations of all device work that the step launched
};

struct RunStep {
  int64_t number = 0;
  int64_t duration = 0;
  int64_t launches = 0;  // pieces of device work
  int64_t input_wait = 0;
  int64_t host = 0;  // time in ops, ranges and calls of the host, each counted once
  std::vector<DeviceOfStep> devices;  // one per Run::devices
};

// Of one step.
struct StepValue {
  uint32_t step = 0;  // index into Run::steps
  int64_t calls = 0;
  int64_t device = 0;  // ns
  int64_t host = 0;    // ns, without what is below
};

enum class AtomKind : uint8_t { kOp, kRange, kInput, kCall, kKernel };

// The finest thing that runs are compared by: an op of one shape in one module, or one kernel below
// it. Device time stands with kernels, host time with ops.
struct Atom {
  AtomKind kind = AtomKind::kOp;
  std::string module;  // path with indices as '*'; empty: not recorded
  std::string op;      // empty: device work whose op is unknown
  std::string shapes, types;
  std::string pass;                                  // "forward", "backward", "optimizer" or empty
  std::string line;                                  // "train.py(31): main"; empty: not recorded
  std::string kernel;                                // empty: the op itself
  KernelCategory category = KernelCategory::kOther;  // of the kernel
  uint32_t order = 0;                                // of first occurrence
  std::vector<uint32_t> events;                      // the first few, by their ids in the file
  std::vector<StepValue> cells;                      // by step; steps without it are left out
};

struct RunFinding {
  std::string rule;
  int64_t saving_lo = 0, saving_hi = 0;  // ns a step
};

struct Run {
  std::vector<std::string> paths;
  std::optional<int64_t> rank;
  uint32_t ranks = 1;  // how many were joined into it
  // What is compared of the environment, by name: format, framework, world_size …
  std::map<std::string, std::string> environment;
  std::vector<std::string> devices;  // "gpu:0"
  std::string main_device;           // the busiest
  bool host_only = false;            // no accelerator: all evidence is the host's
  bool has_steps = true;             // else one window stands for all
  bool per_step_nodes = true;        // else atoms are means over the run, in one cell
  bool damaged = false;              // the file lost events: what is not here may have been
  std::vector<RunStep> steps;        // used ones
  std::vector<Atom> atoms;
  std::map<std::string, int64_t> peak_memory;  // bytes, by device
  bool advised = true;                         // whether findings are known
  std::vector<RunFinding> findings;
  uint64_t content = 0;  // hash of steps and atoms: the same recording has the same
};

// Fills Run::content.
void HashContent(Run& run);

// The runs without those that are copies of one before: however often a recording is given, it is
// one run. A report of a recording is a copy of it too.
std::vector<Run> WithoutCopies(std::vector<Run> runs);

// The ranks of one run as one: the slowest rank decides each step, nodes are means over the ranks.
Run JoinRanks(std::vector<Run> ranks);

// The run with only its odd or even steps; for comparisons of a run with itself.
Run EveryOtherStep(const Run& run, bool odd);

}  // namespace stepscope::diff
