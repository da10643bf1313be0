#include "tools/tfprof/profile_run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "read/open.h"
#include "tools/tfprof/profile_proto/profile_proto.h"

namespace stepscope {
namespace {

constexpr int64_t kNsPerUs = 1000;

int64_t MicrosOf(const std::vector<ExecTimes>& devices) {
  int64_t micros = 0;
  for (const ExecTimes& device : devices) {
    for (const auto& [start, length] : device.times) micros += length;
  }
  return micros;
}

// "name:type", as RunMetadata's timeline labels its spans, so that both formats compare.
std::string OpOf(const ProfileNode& node) {
  return std::string(node.name) + ":" + std::string(node.op);
}

// First start to last end of all nodes of a step.
struct Span {
  int64_t first = INT64_MAX, last = INT64_MIN;
};

diff::Run RunOfProfile(const ProfileProto& profile, const std::string& path) {
  diff::Run run;
  run.paths = {path};
  run.environment = {{"format", "tfprof"}, {"framework", "TensorFlow"}};
  std::map<int64_t, Span> spans;
  for (const ProfileNode& node : profile.nodes) {
    for (const auto& [step, exec] : node.execs) {
      Span& span = spans[step];
      if (exec.run_count == 0) continue;
      span.first = std::min(span.first, exec.all_start_micros);
      span.last = std::max(span.last, exec.latest_end_micros);
    }
  }
  std::map<int64_t, uint32_t> place;
  for (const auto& [step, span] : spans) {
    if (span.last < span.first) continue;
    place[step] = static_cast<uint32_t>(run.steps.size());
    run.steps.push_back({.number = step, .duration = (span.last - span.first) * kNsPerUs});
  }
  run.has_steps = !run.steps.empty();
  bool accelerated = false;
  for (const ProfileNode& node : profile.nodes) {
    diff::Atom host, kernel;
    host.op = kernel.op = OpOf(node);
    host.order = kernel.order = static_cast<uint32_t>(run.atoms.size());
    kernel.kernel = std::string(node.op);
    for (const auto& [step, exec] : node.execs) {
      const auto at = place.find(step);
      if (at == place.end() || exec.run_count == 0) continue;
      const int64_t device = MicrosOf(exec.accelerator) * kNsPerUs;
      const int64_t cpu = MicrosOf(exec.cpu) * kNsPerUs;
      host.cells.push_back({at->second, exec.run_count, 0, cpu});
      run.steps[at->second].host += cpu;
      if (device > 0) kernel.cells.push_back({at->second, exec.run_count, device, 0});
    }
    accelerated |= !kernel.cells.empty();
    if (!host.cells.empty()) run.atoms.push_back(std::move(host));
    if (!kernel.cells.empty()) run.atoms.push_back(std::move(kernel));
  }
  run.host_only = !accelerated;
  run.advised = false;
  HashContent(run);
  return run;
}

}  // namespace

Result<std::optional<std::vector<diff::Run>>> ReadTfprofRuns(const std::string& path) {
  if (path == "-" || FileTypeAt(path) != FileType::kTfprofProfile) return std::nullopt;
  Diagnostics diagnostics;
  Result<ProfileProto> profile = ReadProfileProto(path, diagnostics);
  if (!profile) return std::unexpected(std::move(profile.error()));
  return std::vector{RunOfProfile(*profile, path)};
}

}  // namespace stepscope
