#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "advise/rule_tools.h"
#include "words/compile.h"

// Rules for tracing and compiling that go on after the start.
namespace stepscope {
namespace {

constexpr SayFrom<kCompileTexts> Say;

// Compilation in used steps is compilation after warm-up.
std::vector<StepSpan> SteadyCompiles(const Evidence& e) {
  std::vector<StepSpan> spans(e.compile_spans().begin(), e.compile_spans().end());
  for (const NameTag tag : {NameTag::kRetrace, NameTag::kXlaCompile}) {
    for (const StepSpan& span : e.HostSpans(tag)) spans.push_back(span);
  }
  std::sort(spans.begin(), spans.end(),
            [](const StepSpan& a, const StepSpan& b) { return a.slice < b.slice; });
  spans.erase(std::unique(spans.begin(), spans.end(),
                          [](const StepSpan& a, const StepSpan& b) { return a.slice == b.slice; }),
              spans.end());
  // A module that is loaded at first use is start-up, not a new shape.
  std::erase_if(
      spans, [&](const StepSpan& span) { return Has(e.TagsOfSpan(span), NameTag::kModuleLoad); });
  return Outermost(e, spans);
}

// The frames that torch.compile compiled again, by cause and line, of the rank that did it longest.
std::optional<Fires> CompiledAgain(const Evidence& e) {
  const CompileLog* log = SlowestCompileLog(e);
  if (log == nullptr || log->recompiles.empty()) return std::nullopt;
  uint64_t count = 0;
  DurationNs time;
  for (const CompileLog::Cause& cause : log->recompiles) {
    count += cause.count;
    time += cause.time;
  }
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kMedium;
  fires.title = Say("dynamic-shape-recompile.again", count, time);
  for (const CompileLog::Cause& cause : FirstCauses(log->recompiles)) {
    fires.sentence += cause.text.empty()
                          ? Say("dynamic-shape-recompile.frame", cause.function, cause.place.file,
                                cause.place.line, cause.count, cause.time)
                          : Say("dynamic-shape-recompile.cause", cause.function, cause.place.file,
                                cause.place.line, cause.count, cause.time, cause.text);
  }
  fires.saving_note = Say("dynamic-shape-recompile.note");
  return fires;
}

RuleVerdict DynamicShapeRecompile(const Evidence& e) {
  const std::vector<StepSpan> compiles = SteadyCompiles(e);
  const bool logged = e.log != nullptr && !e.log->retracing.empty();
  const DurationNs time = UnionOf(e, compiles);
  if (e.Share(time) < e.limits[Limit::kRecompileShare]) {
    if (std::optional<Fires> again = CompiledAgain(e)) return *std::move(again);
    if (!logged) return Quiet{};
  }
  Fires fires;
  fires.title = compiles.empty()
                    ? Say("dynamic-shape-recompile.logged")
                    : Say("dynamic-shape-recompile.title",
                          CountedInStep(e, static_cast<double>(compiles.size()) / e.step_count()),
                          OfEachStep(e, time));
  fires.sentence = Say("dynamic-shape-recompile.because");
  if (logged) fires.sentence += LogSays(e.log->retracing.front());
  fires.saving_hi = time;
  fires.gate = time.ns == 0;
  fires.at_most = fires.gate ? FindingSeverity::kMedium : FindingSeverity::kHigh;
  fires.changes = ChangesOf(compiles, ChangeType::kRemove);
  // What the calls that came to compile trace and lower before goes with it.
  fires.changes_most =
      ChangesOf(OutermostTagged(e, compiles, NameTag::kJitExecutable), ChangeType::kRemove);
  fires.saving_note = Say("dynamic-shape-recompile.note");
  fires.evidence = e.Longest(compiles);
  return fires;
}

// Compilation anywhere in the profile.
DurationNs AllCompileTime(const Evidence& e) {
  const auto& kinds = e.trace.slices.kind;
  const bool named = std::any_of(e.trace.traits.begin(), e.trace.traits.end(),
                                 [](const NameTraits& traits) { return traits.compile; });
  if (!named && std::find(kinds.begin(), kinds.end(), Kind::kCompile) == kinds.end()) return {};
  std::vector<Interval> intervals;
  for (uint32_t s = 0; s < e.trace.slices.size(); ++s) {
    if (e.trace.Traits(s).compile || kinds[s] == Kind::kCompile) {
      intervals.push_back({e.trace.slices.start[s], e.trace.slices.end(s)});
    }
  }
  return IntervalSet::Of(std::move(intervals)).length();
}

// What torch.compile itself says about its time.
std::optional<Fires> LoggedCompileTime(const Evidence& e) {
  const CompileLog* log = SlowestCompileLog(e);
  if (log == nullptr || log->compilations.empty()) return std::nullopt;
  const DurationNs total = log->total();
  if (static_cast<double>(total.ns) < e.limits[Limit::kCompileTime]) return std::nullopt;
  const auto longest = std::ranges::max_element(
      log->compilations, {}, [](const CompileLog::Compilation& one) { return one.time.ns; });
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kMedium;
  fires.title =
      Say("compile-time-dominates-startup.frames", total, uint64_t{log->compilations.size()});
  fires.sentence = Say("compile-time-dominates-startup.longest", longest->function,
                       longest->place.file, longest->place.line, longest->time, longest->inductor);
  if (log->cache_misses > 0) {
    fires.sentence += Say("compile-time-dominates-startup.misses", log->cache_misses,
                          log->cache_misses + log->cache_hits + log->cache_bypasses);
  }
  return fires;
}

RuleVerdict CompileDominatesStartup(const Evidence& e) {
  if (std::optional<Fires> logged = LoggedCompileTime(e)) return *std::move(logged);
  if (e.log != nullptr && e.log->compile_seconds * 1e9 >= e.limits[Limit::kCompileTime]) {
    Fires fires;
    fires.gate = true;
    fires.at_most = FindingSeverity::kMedium;
    fires.title = Say("compile-time-dominates-startup.logged", e.log->compile_seconds);
    fires.sentence = Say("compile-time-dominates-startup.logged.because");
    return fires;
  }
  const DurationNs compile = AllCompileTime(e);
  const double share = e.trace.span.ns == 0
                           ? 0
                           : static_cast<double>(compile.ns) / static_cast<double>(e.trace.span.ns);
  if (share < e.limits[Limit::kCompileOfRun]) return Quiet{};
  Fires fires;
  fires.gate = true;  // seconds of a run, nothing per step
  fires.at_most = FindingSeverity::kNote;
  fires.title = Say("compile-time-dominates-startup.title", share, compile);
  fires.sentence = Say("compile-time-dominates-startup.because");
  return fires;
}

// Machine code runs on GPUs of its major version with at least its minor one.
bool HasCodeFor(const MachineFacts::FrameworkBuild& build, const MachineFacts::Gpu& gpu) {
  const std::string& capability = gpu.compute_capability;  // "9.0"
  const size_t dot = capability.find('.');
  if (dot == std::string::npos) return true;
  const std::string major = "sm_" + capability.substr(0, dot);
  return std::any_of(build.gpu_code.begin(), build.gpu_code.end(), [&](const std::string& code) {
    return code.size() == major.size() + 1 && code.starts_with(major) &&
           code.back() <= capability.back();
  });
}

RuleVerdict GpuArchJit(const Evidence& e) {
  const bool logged = e.log != nullptr && !e.log->ptx_jit.empty();
  Message missing;
  if (e.machine != nullptr) {
    for (const MachineFacts::Gpu& gpu : e.machine->gpus) {
      for (const MachineFacts::FrameworkBuild& build : e.machine->frameworks) {
        if (build.gpu_code.empty() || gpu.compute_capability.empty()) continue;
        if (!HasCodeFor(build, gpu)) {
          missing =
              Say("gpu-arch-jit-at-startup.missing", build.name, gpu.name, gpu.compute_capability);
        }
      }
    }
  }
  if (!logged && missing.empty()) {
    if (e.machine == nullptr && e.log == nullptr) return NeedsMachine();
    return Quiet{};
  }
  Fires fires;
  fires.gate = true;
  fires.at_most = FindingSeverity::kMedium;
  fires.title = Say("gpu-arch-jit-at-startup.title");
  fires.sentence = logged ? LogSays(e.log->ptx_jit.front()) : missing;
  fires.sentence += Say("gpu-arch-jit-at-startup.because");
  return fires;
}

constexpr std::array kRules{
    Rule{"dynamic-shape-recompile", RuleGroup::kCompile, "", DynamicShapeRecompile},
    Rule{"compile-time-dominates-startup", RuleGroup::kCompile, "", CompileDominatesStartup},
    Rule{"gpu-arch-jit-at-startup", RuleGroup::kCompile, "", GpuArchJit},
};

}  // namespace

std::span<const Rule> CompileRules() { return kRules; }

}  // namespace stepscope
