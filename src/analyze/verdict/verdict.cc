#include "analyze/verdict/verdict.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepscope {

std::string_view NameOf(BoundBy bound) {
  switch (bound) {
    case BoundBy::kInput:
      return "input";
    case BoundBy::kLaunch:
      return "launch";
    case BoundBy::kSync:
      return "sync";
    case BoundBy::kHost:
      return "host";
    case BoundBy::kCompute:
      return "compute";
    case BoundBy::kCommunication:
      return "communication";
    case BoundBy::kCopy:
      return "copy";
    case BoundBy::kCompile:
      return "compile";
    case BoundBy::kMixed:
      return "mixed";
    case BoundBy::kUnknown:
      return "unknown";
  }
  std::unreachable();
}

Shares SharesOf(const DeviceStep& step, DurationNs feeding) {
  const auto idle = [&](Cause cause) { return step.idle_causes[static_cast<size_t>(cause)]; };
  Shares shares;
  shares.compute = step.compute + step.exposed_memset;
  shares.communication = step.exposed_communication + idle(Cause::kCommunicationWait);
  shares.copy = step.exposed_copy + idle(Cause::kCopyWait);
  shares.input = idle(Cause::kInput);
  shares.sync = idle(Cause::kSync);
  shares.compile = idle(Cause::kCompile);
  // `feeding` is part of these three; what is left of the unknown stays unknown.
  const DurationNs unknown = idle(Cause::kUnknown);
  const DurationNs host = idle(Cause::kHostOp) + idle(Cause::kPython);
  const DurationNs feeding_host = std::min(feeding, host);
  const DurationNs feeding_unknown = feeding - feeding_host;
  shares.launch = idle(Cause::kLaunch) + feeding;
  shares.host = host - feeding_host + idle(Cause::kBetweenSteps);
  shares.unknown = unknown - feeding_unknown + idle(Cause::kProfiler);
  return shares;
}

Verdict Judge(const Shares& shares, DurationNs duration) {
  std::array<std::pair<DurationNs, BoundBy>, 9> ranked = {{
      {shares.compute, BoundBy::kCompute},
      {shares.communication, BoundBy::kCommunication},
      {shares.copy, BoundBy::kCopy},
      {shares.input, BoundBy::kInput},
      {shares.launch, BoundBy::kLaunch},
      {shares.sync, BoundBy::kSync},
      {shares.host, BoundBy::kHost},
      {shares.compile, BoundBy::kCompile},
      {shares.unknown, BoundBy::kUnknown},
  }};
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Verdict verdict;
  if (duration.ns <= 0) return verdict;
  const auto share = [&](size_t i) {
    return static_cast<double>(ranked[i].first.ns) / static_cast<double>(duration.ns);
  };
  verdict.share = share(0);
  verdict.bound_by = ranked[0].second;
  // A device that waits longer for the host than it computes is not bound by compute, however many
  // causes the waiting has.
  const DurationNs host = shares.launch + shares.sync + shares.host;
  if (verdict.bound_by == BoundBy::kCompute && host > shares.compute) {
    verdict.bound_by = BoundBy::kHost;
    verdict.share = static_cast<double>(host.ns) / static_cast<double>(duration.ns);
    return verdict;
  }
  if (share(0) < kClearShare && share(0) - share(1) <= kClearLead) {
    verdict.bound_by = BoundBy::kMixed;
  }
  return verdict;
}

}  // namespace stepscope
