#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "advise/rule_tools.h"
#include "words/cpu.h"

// Rules for work on the CPU: instruction sets, thread pools, sockets.
namespace stepscope {
namespace {

constexpr SayFrom<kCpuTexts> Say;

// Of all threads together, per step.
DurationNs TimeInOps(const Evidence& e) {
  DurationNs sum{};
  for (const DurationNs own : OwnTimeOfOps(e)) sum += own;
  return e.PerStep(sum);
}

// Share of the step that framework ops spend on the host without a device: CPU math.
double CpuMathShare(const Evidence& e) {
  if (e.has_device_work()) return 0;
  return e.Share(TimeInOps(e));
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
  Message missing;
  if (logged) {
    missing = Verbatim(fmt::format("{}", fmt::join(e.log->unused_isa, ", ")));
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
      Message build_lacks = Say("cpu-isa-unused.build", build.name, wide ? "AVX-512" : "AVX2");
      missing = missing.empty() ? std::move(build_lacks)
                                : Say("cpu-isa-unused.both", missing, std::move(build_lacks));
    }
  }
  if (missing.empty() || CpuMathShare(e) < e.limits[Limit::kIsaShare]) return Quiet{};
  const bool onednn = e.machine != nullptr &&
                      std::any_of(e.machine->frameworks.begin(), e.machine->frameworks.end(),
                                  [](const auto& build) { return build.onednn; });
  Fires fires;
  fires.gate = true;
  fires.at_most = onednn ? FindingSeverity::kNote : FindingSeverity::kLow;
  fires.title = Say("cpu-isa-unused.title", missing);
  fires.sentence = onednn ? Say("cpu-isa-unused.onednn") : Say("cpu-isa-unused.because");
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
  fires.title = Say("thread-oversubscription.title", runnable, cores);
  fires.sentence = Say("thread-oversubscription.because", std::max<int64_t>(1, cores / processes));
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
  Fires fires;
  fires.title = Say("thread-pools-misconfigured.title", busy, cores);
  fires.sentence =
      single ? Say("thread-pools-misconfigured.single") : Say("thread-pools-misconfigured.because");
  const double share = 1 - 1 / (0.8 * cores);
  fires.saving_hi = {
      static_cast<int64_t>(static_cast<double>(TimeInOps(e).ns) * std::max(share, 0.0))};
  fires.saving_note = Say("thread-pools-misconfigured.note");
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
  Messages lines;
  const auto omp = IntegerIn(environment, "OMP_NUM_THREADS");
  if (!environment.contains("KMP_BLOCKTIME") ||
      IntegerIn(environment, "KMP_BLOCKTIME").value_or(200) > 1) {
    lines.push_back(Say("mkl-openmp-env.blocktime"));
  }
  if (e.machine->sockets > 1 && !environment.contains("KMP_AFFINITY")) {
    lines.push_back(Say("mkl-openmp-env.affinity"));
  }
  if (omp && *omp != e.machine->physical_cores) {
    lines.push_back(Say("mkl-openmp-env.threads", e.machine->physical_cores));
  }
  if (lines.empty() || CpuMathShare(e) < e.limits[Limit::kIsaShare]) return Quiet{};
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kLow;
  fires.title = Say("mkl-openmp-env.title");
  fires.sentence = Say("mkl-openmp-env.because");
  fires.fix = std::move(lines);
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
  fires.title = Say("numa-cross-socket.title", e.machine->numa_nodes);
  fires.sentence = Say("numa-cross-socket.because");
  if (!e.machine->gpus.empty() && e.machine->gpus.front().numa_node >= 0) {
    const int node = e.machine->gpus.front().numa_node;
    fires.fix = Say("numa-cross-socket.fix", node);
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
