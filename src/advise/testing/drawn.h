#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <regex>
#include <string>
#include <utility>

#include "advise/testing/advised.h"
#include "analyze/testing/analyzed.h"

// A step that is drawn once and repeated, for tests of rules.
namespace stepscope {

// The lines with every range (in µs) moved by whole periods and in ns, `$` as the number of the
// step, and correlations of their own for each.
inline std::string Repeated(const std::string& lines, int steps, int64_t period_us) {
  static const std::regex kToken(R"((\d+)\.\.(\d+)|@(\d+)|#(\d+)|\$)");
  std::string out;
  for (int step = 0; step < steps; ++step) {
    const auto moved = [&](const std::string& digits) {
      return (std::stoll(digits) + step * period_us) * 1000;
    };
    auto at = lines.begin();
    std::smatch match;
    while (std::regex_search(at, lines.end(), match, kToken)) {
      out.append(at, match[0].first);
      if (match[1].matched) {
        out += fmt::format("{}..{}", moved(match[1]), moved(match[2]));
      } else if (match[3].matched) {
        out += fmt::format("@{}", moved(match[3]));
      } else if (match[4].matched) {
        out += fmt::format("#{}", std::stoll(match[4]) + 1000LL * step);
      } else {
        out += std::to_string(step);
      }
      at = match[0].second;
    }
    out.append(at, lines.end());
    out += "\n";
  }
  return out;
}

struct Drawn {
  std::string lines;  // of one step of `period` µs
  int steps = 4;
  int64_t period = 1000;
  std::string framework = "PyTorch";
  std::string once = {};            // lines of no step, in ns
  std::string gpu = "NVIDIA H200";  // empty: the profile does not name it
};

inline Analyzed AnalyzeDrawnStep(const Drawn& drawn) {
  const std::string marker = fmt::format("main step:ProfilerStep#$ 0..{}\n", drawn.period);
  Trace trace =
      TraceText(drawn.once + "\n" + Repeated(marker + drawn.lines, drawn.steps, drawn.period));
  trace.facts.framework = drawn.framework;
  for (Device& device : trace.devices) {
    if (device.type != DeviceType::kGpu || drawn.gpu.empty()) continue;
    device.name = drawn.gpu;
    device.compute_capability = "9.0";
    device.memory_bytes = int64_t{1} << 34;
  }
  return AnalyzeDrawn(std::move(trace));
}

// Four steps on a device of 16 GB whose allocator uses and holds so many bytes all the time.
inline Advice AdviceOnMemory(const std::string& calls, int64_t allocated, int64_t reserved) {
  Trace trace = TraceText(Repeated("main step:ProfilerStep#$ 0..1000  launch#1 0..5  " + calls +
                                       "\ngpu:0 gemm#1 10..990\nmemory gpu:0 +512@10 -512@20\n",
                                   4, 1000));
  for (Device& device : trace.devices) device.memory_bytes = 16'000'000'000;
  for (Allocation& event : trace.allocations) {
    event.total_allocated = allocated;
    event.total_reserved = reserved;
  }
  const Analyzed analyzed = AnalyzeDrawn(std::move(trace));
  return AdviceWith(analyzed.linked, analyzed.report, {});
}

inline Advice AdviceOnDrawn(const Drawn& drawn, const Given& beside = {}) {
  const Analyzed analyzed = AnalyzeDrawnStep(drawn);
  return AdviceWith(analyzed.linked, analyzed.report, beside);
}

}  // namespace stepscope
