#include "ranks/pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stepscope {
namespace {

bool IsSend(CollectiveType type) {
  return type == CollectiveType::kSend || type == CollectiveType::kSendReceive;
}

// What one stage does in its used steps.
struct Stage {
  double sends = 0, receives = 0;  // a step
  double step = 0, compute = 0;
  double waiting = 0;  // in sends and receives while nothing computes, less what transfers take
};

Stage StageOf(const RankDigest& rank, const IntervalSet* waits) {
  Stage stage;
  const double steps = std::max<double>(1, rank.used_steps());
  std::vector<Interval> calls;
  std::map<uint32_t, int64_t> shortest;
  std::map<uint32_t, double> count;
  for (const RankCall& call : rank.calls) {
    const CollectiveType type = rank.signatures[call.signature].type;
    if (!IsPointToPoint(type) || call.step == kNoRow || !rank.steps[call.step].used) continue;
    stage.sends += IsSend(type) ? 1 / steps : 0;
    stage.receives += IsSend(type) ? 0 : 1 / steps;
    calls.push_back({call.start, call.end});
    const int64_t length = (call.end - call.start).ns;
    const auto [at, is_new] = shortest.try_emplace(call.signature, length);
    at->second = std::min(at->second, length);
    ++count[call.signature];
  }
  std::vector<Interval> windows;
  for (const RankStep& step : rank.steps) {
    if (!step.used) continue;
    windows.push_back({step.start, step.end});
    stage.step += static_cast<double>((step.end - step.start).ns) / steps;
    stage.compute += static_cast<double>(step.compute.ns) / steps;
    stage.waiting += static_cast<double>((step.idle + step.input).ns) / steps;
  }
  const IntervalSet exposed = IntervalSet::Of(std::move(calls)).Subtract(rank.compute);
  const IntervalSet waited = waits == nullptr ? exposed : exposed.Intersect(*waits);
  double open = static_cast<double>(waited.OverlapWith(IntervalSet::Of(std::move(windows))).ns);
  for (const auto& [signature, length] : shortest) {
    if (waits == nullptr) open -= static_cast<double>(length) * count[signature];
  }
  stage.waiting += std::max(0.0, open) / steps;
  return stage;
}

}  // namespace

std::optional<Pipeline> FindPipeline(std::span<const RankDigest* const> ranks,
                                     std::span<const IntervalSet* const> waits) {
  std::vector<Stage> stages;
  int64_t group_size = 0;
  for (size_t p = 0; p < ranks.size(); ++p) {
    const RankDigest* rank = ranks[p];
    const Stage stage = StageOf(*rank, waits.empty() ? nullptr : waits[p]);
    if (stage.sends + stage.receives < 1 || stage.step <= 0) continue;
    stages.push_back(stage);
    for (const CallSignature& signature : rank->signatures) {
      if (!IsPointToPoint(signature.type)) continue;
      group_size = std::max(group_size, rank->groups[signature.group].size);
    }
  }
  if (stages.size() < 2) return std::nullopt;
  Pipeline pipeline;
  // Several pipelines side by side have a group each.
  const auto present = static_cast<int64_t>(stages.size());
  const int64_t depth = group_size > 1 && group_size < present ? group_size : present;
  pipeline.stages = static_cast<uint32_t>(depth);
  // The ends of a pipeline hand on each micro-batch once, those between twice.
  double fewest = std::numeric_limits<double>::max(), waiting = 0, compute = 0, most = 0;
  for (const Stage& stage : stages) {
    const double handed = stage.sends > 0 ? stage.sends : stage.receives;
    fewest = std::min(fewest, handed);
    waiting += stage.waiting / stage.step / static_cast<double>(stages.size());
    compute += stage.compute / static_cast<double>(stages.size());
    most = std::max(most, stage.compute);
  }
  pipeline.micro_batches = static_cast<uint32_t>(std::max(1.0, std::round(fewest)));
  const auto p = static_cast<double>(depth), m = static_cast<double>(pipeline.micro_batches);
  pipeline.ideal_bubble = (p - 1) / (m + p - 1);
  pipeline.measured_bubble = std::min(1.0, waiting);
  if (compute > 0) pipeline.stage_imbalance = most / compute;
  return pipeline;
}

}  // namespace stepscope
