#include "capture/processes/capturable.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "capture/grpc/grpc_calls.h"
#include "capture/profiler_service/messages.h"
#include "capture/serving/capture_serving.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

Capturable Common(const ProcessFacts& process, std::string framework) {
  return {.pid = process.pid,
          .uid = process.uid,
          .age_s = process.age_s,
          .command = process.command,
          .framework = std::move(framework)};
}

Capturable OfPyTorch(const ProcessFacts& process) {
  Capturable out = Common(process, "PyTorch");
  if (process.polls()) {
    if (process.other_network && process.variable("KINETO_IPC_SOCKET_DIR").empty()) {
      out.missing = Say("capture.it-own-network");
      out.fix = Say("capture.it-share");
    } else {
      out.target = fmt::format("pid:{}", process.pid);
    }
  } else if (process.has_hook()) {
    out.target = fmt::format("python:{}", process.pid);
  } else {
    out.missing = Say("capture.it-no-daemon");
    out.fix = Say("capture.it-restart");
  }
  return out;
}

Capturable OfServer(const ProcessFacts& process, std::string framework,
                    const std::vector<int>& ports, const std::vector<int>& profiler_ports) {
  Capturable out = Common(process, std::move(framework));
  for (const int port : ports) {
    if (std::find(profiler_ports.begin(), profiler_ports.end(), port) == profiler_ports.end()) {
      continue;
    }
    out.target = fmt::format("localhost:{}", port);
    return out;
  }
  if (process.has_hook()) {
    out.target = fmt::format("python:{}", process.pid);
    return out;
  }
  out.missing = Say("capture.it-no-server");
  out.fix = out.framework == "JAX" ? Say("capture.it-add-jax") : Say("capture.it-add-tf");
  return out;
}

Capturable OfServing(const ProcessFacts& process, bool vllm, int port) {
  Capturable out = Common(process, vllm ? "vLLM" : "SGLang");
  if (vllm && ProfilerFolderIn(process.command).empty() &&
      process.variable("VLLM_TORCH_PROFILER_DIR").empty()) {
    out.missing = Say("capture.it-not-enabled");
    out.fix = Say("capture.it-enable");
  } else {
    out.target = fmt::format("{}://localhost:{}", vllm ? "vllm" : "sglang", port);
  }
  return out;
}

std::vector<int> PortsOf(int pid, const std::vector<PortListener>& listeners) {
  std::vector<int> ports;
  for (const PortListener& listener : listeners) {
    if (listener.pid == pid) ports.push_back(listener.port);
  }
  return ports;
}

// A profiler server takes a Terminate of a session that it does not know, and does nothing.
std::vector<int> ProfilerPorts(const std::set<int>& ports) {
  constexpr std::chrono::milliseconds kWithin{1000}, kTick{20};
  std::vector<int> found;
  Result<GrpcCalls> calls = GrpcCalls::Make();
  if (!calls) return found;
  std::vector<std::pair<int, size_t>> asked;
  for (const int port : ports) {
    asked.emplace_back(port, calls->Start({.server = {"127.0.0.1", port},
                                           .method = std::string(kTerminateMethod),
                                           .request = EncodeTerminateRequest("stepscope_nobody"),
                                           .limit = kWithin}));
  }
  for (const auto& [port, call] : asked) {
    while (calls->running(call)) calls->Step(kTick);
    if (calls->outcome(call).end == GrpcEnd::kOk) found.push_back(port);
  }
  return found;
}

}  // namespace

CapturableList ListCapturable(const std::vector<ProcessFacts>& processes,
                              const std::vector<PortListener>& listeners,
                              const std::vector<int>& profiler_ports) {
  CapturableList out;
  for (const ProcessFacts& process : processes) {
    out.hidden += process.readable ? 0 : 1;
    const std::vector<int> ports = PortsOf(process.pid, listeners);
    const bool vllm = process.command.contains("vllm"), sglang = process.command.contains("sglang");
    if ((vllm || sglang) && !ports.empty()) {
      out.processes.push_back(OfServing(process, vllm, ports[0]));
    } else if (process.torch) {
      out.processes.push_back(OfPyTorch(process));
    } else if (process.jax || process.tensorflow) {
      out.processes.push_back(
          OfServer(process, process.jax ? "JAX" : "TensorFlow", ports, profiler_ports));
    }
  }
  return out;
}

CapturableList FindCapturable(const std::string& proc) {
  const std::vector<ProcessFacts> processes = ReadProcesses(proc);
  const std::vector<PortListener> listeners = ReadListeners(proc);
  std::set<int> ports;
  for (const ProcessFacts& process : processes) {
    if (!process.jax && !process.tensorflow) continue;
    for (const int port : PortsOf(process.pid, listeners)) ports.insert(port);
  }
  // A recorded machine is not asked.
  const bool live = proc == "/proc";
  return ListCapturable(processes, listeners, live ? ProfilerPorts(ports) : std::vector<int>{});
}

}  // namespace stepscope
