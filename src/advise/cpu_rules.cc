#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "advise/rule_tools.h"

// Rules for work on the CPU: instruction sets, thread pools, sockets.
namespace stepscope {
namespace {

// Share of the step that framework ops spend on the host without a device: CPU math.
double CpuMathShare(const Evidence& e) {
  if (e.has_device_work()) return 0;
  DurationNs self{};
  for (const OpRow& row : e.report.ops) {
    if (row.kind == Kind::kOp) self += row.host_self;
  }
  return e.Share(e.PerStep(self));
}

std::optional<int> IntegerIn(const std::map<std::string, std::string>& environment,
                             const std::string& name) {
  const auto at = environment.find(name);
  if (at == environment.end()) return std::nullopt;
  int value = 0;
  const auto [end, error] =
      std::from_chars(at->second.data(), at->second.data() + at->second.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

RuleVerdict CpuIsaUnused(const Evidence& e) {
  const bool logged = e.log != nullptr && !e.log->unused_isa.empty();
  if (!logged && e.machine == nullptr) return NeedsLog();
  std::string missing;
  if (logged) {
    for (const std::string& isa : e.log->unused_isa) missing += (missing.empty() ? "" : ", ") + isa;
  } else {
    for (const MachineFacts::FrameworkBuild& build : e.machine->frameworks) {
      if (build.cpu_isa.empty()) continue;
      const auto built = [&](const char* isa) {
        return std::find(build.cpu_isa.begin(), build.cpu_isa.end(), isa) != build.cpu_isa.end();
      };
      const bool wide = e.machine->cpu_isa.contains("AVX-512F") && !built("AVX-512");
      const bool narrow =
          e.machine->cpu_isa.contains("AVX2") && !built("AVX2") && !built("AVX-512");
      if (!wide && !narrow) continue;
      missing += fmt::format("{}{} has no kernels for {}", missing.empty() ? "" : ", ", build.name,
                             wide ? "AVX-512" : "AVX2");
    }
  }
  if (missing.empty() || CpuMathShare(e) < e.limits[Limit::kIsaShare]) return Quiet{};
  const bool onednn = e.machine != nullptr &&
                      std::any_of(e.machine->frameworks.begin(), e.machine->frameworks.end(),
                                  [](const auto& build) { return build.onednn; });
  Fires fires;
  fires.gate = true;
  fires.at_most = onednn ? FindingSeverity::kNote : FindingSeverity::kLow;
  fires.title = fmt::format("The framework does not use all of this CPU: {}.", missing);
  fires.sentence = onednn
                       ? "Its heavy kernels choose instructions at run time, so little may be lost."
                       : "On one machine of 2017 AVX2 was 1.5 times as fast as AVX; today the gain "
                         "is unknown until measured.";
  fires.confidence = Confidence::kLow;
  return fires;
}

RuleVerdict ThreadOversubscription(const Evidence& e) {
  if (e.machine == nullptr) return NeedsMachine();
  const int cores = std::max(1, e.machine->physical_cores);
  const int omp = IntegerIn(e.machine->environment, "OMP_NUM_THREADS").value_or(cores);
  const int intra = IntegerIn(e.machine->environment, "TF_NUM_INTRAOP_THREADS").value_or(0);
  const int inter = IntegerIn(e.machine->environment, "TF_NUM_INTEROP_THREADS").value_or(0);
  const int64_t processes =
      e.job != nullptr ? e.job->ranks_per_host.value_or(1) + e.job->loader_workers.value_or(0) : 1;
  const double runnable =
      static_cast<double>(std::max(omp, intra) + inter) * static_cast<double>(processes);
  if (runnable <= e.limits[Limit::kOversubscribed] * cores) return Quiet{};
  Fires fires;
  fires.gate = true;  // only a measurement tells
  fires.at_most = FindingSeverity::kMedium;
  fires.title = fmt::format("{:.0f} compute threads for {} cores.", runnable, cores);
  fires.sentence = fmt::format("Threads fight for cores. Measure with OMP_NUM_THREADS={}.",
                               std::max<int64_t>(1, cores / processes));
  fires.confidence = Confidence::kMedium;
  return fires;
}

// Mean number of threads inside framework ops while any is.
double ThreadsInOps(const Evidence& e) {
  std::vector<Interval> any;
  DurationNs sum{};
  for (const Track& track : e.trace.tracks) {
    if (track.kind != TrackKind::kThread) continue;
    std::vector<Interval> ops;
    for (uint32_t s = track.slices.first; s < track.slices.last; ++s) {
      if (e.trace.slices.kind[s] == Kind::kOp)
        ops.push_back({e.trace.slices.start[s], e.trace.slices.end(s)});
    }
    const IntervalSet set = IntervalSet::Of(std::move(ops)).Intersect(e.step_time());
    sum += set.length();
    any.insert(any.end(), set.intervals().begin(), set.intervals().end());
  }
  const DurationNs together = IntervalSet::Of(std::move(any)).length();
  return together.ns == 0 ? 0 : static_cast<double>(sum.ns) / static_cast<double>(together.ns);
}

RuleVerdict ThreadPoolsMisconfigured(const Evidence& e) {
  if (e.has_device_work()) return Quiet{};
  if (CpuMathShare(e) < e.limits[Limit::kIsaShare]) return Quiet{};
  if (e.machine == nullptr) return NeedsMachine();
  const int cores = std::max(1, e.machine->physical_cores);
  const double busy = ThreadsInOps(e);
  const bool single = IntegerIn(e.machine->environment, "OMP_NUM_THREADS") == 1 ||
                      IntegerIn(e.machine->environment, "TF_NUM_INTRAOP_THREADS") == 1;
  if (cores < 2 || (!single && busy > e.limits[Limit::kBusyCores] * cores)) return Quiet{};
  DurationNs math{};
  for (const OpRow& row : e.report.ops) {
    if (row.kind == Kind::kOp) math += row.host_self;
  }
  Fires fires;
  fires.title = fmt::format(
      "Cores stand idle while the CPU computes: {:.1f} busy threads on {} cores.", busy, cores);
  fires.sentence = single ? "The pool is limited to one thread by the environment."
                          : "Ops run on too few threads for this machine.";
  const double share = 1 - 1 / (0.8 * cores);
  fires.saving_hi = {
      static_cast<int64_t>(static_cast<double>(e.PerStep(math).ns) * std::max(share, 0.0))};
  fires.saving_note = "At 80 % scaling over the free cores.";
  fires.at_most = FindingSeverity::kMedium;
  fires.confidence = Confidence::kLow;
  return fires;
}

RuleVerdict MklOpenmpEnv(const Evidence& e) {
  if (e.machine == nullptr) return NeedsMachine();
  const bool intel = std::any_of(e.machine->frameworks.begin(), e.machine->frameworks.end(),
                                 [](const auto& build) { return build.mkl; });
  if (!intel) return Quiet{};
  const auto& environment = e.machine->environment;
  std::vector<std::string> lines;
  const auto omp = IntegerIn(environment, "OMP_NUM_THREADS");
  if (!environment.contains("KMP_BLOCKTIME") ||
      IntegerIn(environment, "KMP_BLOCKTIME").value_or(200) > 1) {
    lines.push_back("export KMP_BLOCKTIME=0");
  }
  if (e.machine->sockets > 1 && !environment.contains("KMP_AFFINITY")) {
    lines.push_back("export KMP_AFFINITY=granularity=fine,compact,1,0");
  }
  if (omp && *omp != e.machine->physical_cores) {
    lines.push_back(fmt::format("export OMP_NUM_THREADS={}", e.machine->physical_cores));
  }
  if (lines.empty() || CpuMathShare(e) < e.limits[Limit::kIsaShare]) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kLow;
  fires.title = "OpenMP settings that matter for this CPU are not set.";
  fires.sentence = "Their effect depends on the model: try, and measure.";
  for (const std::string& line : lines) fires.fix += line + "\n";
  fires.confidence = Confidence::kLow;
  return fires;
}

RuleVerdict NumaCrossSocket(const Evidence& e) {
  if (e.machine == nullptr) return NeedsMachine();
  if (e.machine->numa_nodes < 2) return Quiet{};
  const auto& environment = e.machine->environment;
  if (environment.contains("NUMA_BOUND") || environment.contains("KMP_AFFINITY") ||
      environment.contains("GOMP_CPU_AFFINITY")) {
    return Quiet{};
  }
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kLow;
  fires.title = fmt::format("The process may run across {} NUMA nodes.", e.machine->numa_nodes);
  fires.sentence =
      "Remote memory is slower; ONNX Runtime's own test gained almost 20 % from staying on one "
      "node.";
  if (!e.machine->gpus.empty() && e.machine->gpus.front().numa_node >= 0) {
    const int node = e.machine->gpus.front().numa_node;
    fires.fix = fmt::format("numactl --cpunodebind={} --membind={} …", node, node);
  }
  fires.confidence = Confidence::kLow;
  return fires;
}

constexpr std::array kRules{
    Rule{"cpu-isa-unused", RuleGroup::kCpu, "", CpuIsaUnused},
    Rule{"thread-oversubscription", RuleGroup::kCpu, "", ThreadOversubscription},
    Rule{"thread-pools-misconfigured", RuleGroup::kCpu, "", ThreadPoolsMisconfigured},
    Rule{"mkl-openmp-env", RuleGroup::kCpu, "", MklOpenmpEnv},
    Rule{"numa-cross-socket", RuleGroup::kCpu, "", NumaCrossSocket},
};

}  // namespace

std::span<const Rule> CpuRules() { return kRules; }

}  // namespace stepscope
