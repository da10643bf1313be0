#include <algorithm>
#include <cmath>
#include <set>

#include "ranks/jobs.h"
#include "ranks/statistics.h"

namespace stepscope {
namespace {

constexpr double kSameProgram = 0.5;  // share of the time in kernels that both runs have
constexpr double kSameInput = 0.1;    // by which elements a device and step may differ

// One run: its parts a step and what its devices have to do.
struct Run {
  ScalingRun row;
  double elements = 0;  // a step and device
  const RankDigest* example = nullptr;
};

double ElementsOf(const RankDigest& digest) {
  return digest.input_elements / std::max<double>(1, digest.used_steps());
}

// The mean step and its parts, which add up to it.
void AddParts(const RankDigest& digest, DurationNs wait, DurationNs transfer, ScalingRun& row) {
  int64_t sum = 0, compute = 0;
  for (const RankStep& step : digest.steps) {
    if (!step.used) continue;
    sum += (step.end - step.start).ns;
    compute += step.compute.ns;
  }
  const int64_t steps = std::max<int64_t>(1, digest.used_steps());
  row.step.ns += sum / steps;
  row.compute.ns += compute / steps;
  row.exposed_transfer += transfer;
  row.exposed_wait += wait;
}

void Divide(ScalingRun& row, int64_t by) {
  for (DurationNs ScalingRun::* part : {&ScalingRun::step, &ScalingRun::compute,
                                        &ScalingRun::exposed_transfer, &ScalingRun::exposed_wait}) {
    (row.*part).ns /= by;
  }
  row.idle = row.step - row.compute - row.exposed_transfer - row.exposed_wait;
}

std::vector<Run> RunsOf(const JobsReport& report) {
  std::vector<Run> runs;
  for (const Job& job : report.jobs) {
    Run run;
    run.row.devices = job.world_size;
    run.row.name = job.name;
    std::vector<double> elements;
    int64_t counted = 0;
    for (size_t p = 0; p < job.members.size(); ++p) {
      const RankDigest& digest = report.digests[job.members[p]];
      if (digest.used_steps() == 0) continue;
      AddParts(digest, job.ranks[p].exposed_wait, job.ranks[p].exposed_transfer, run.row);
      elements.push_back(ElementsOf(digest));
      run.example = &digest;
      ++counted;
    }
    if (counted == 0) continue;
    Divide(run.row, counted);
    run.elements = Median(std::move(elements));
    runs.push_back(std::move(run));
  }
  for (const size_t place : report.alone) {
    const RankDigest& digest = report.digests[place];
    if (digest.used_steps() == 0 || digest.world_size.value_or(1) > 1) continue;
    Run run;
    run.row.devices = 1;
    run.row.name = digest.path;
    AddParts(digest, {}, {}, run.row);
    Divide(run.row, 1);
    run.elements = ElementsOf(digest);
    run.example = &digest;
    runs.push_back(std::move(run));
  }
  return runs;
}

bool SameProgram(const RankDigest& a, const RankDigest& b) {
  std::set<std::string_view> names;
  for (const WorkTotal& work : a.work) names.insert(work.name);
  int64_t all = 0, common = 0;
  for (const WorkTotal& work : b.work) {
    all += work.total.ns;
    if (names.contains(work.name)) common += work.total.ns;
  }
  return all > 0 && static_cast<double>(common) >= kSameProgram * static_cast<double>(all);
}

void Compare(const ScalingRun& base, bool weak, ScalingRun& row) {
  // With a fixed whole, each device has the base's work divided by as many devices.
  const auto ideal = [&](DurationNs part) {
    return DurationNs{weak ? part.ns : part.ns * base.devices / row.devices};
  };
  row.loss = row.step - ideal(base.step);
  row.loss_compute = row.compute - ideal(base.compute);
  row.loss_transfer = row.exposed_transfer - ideal(base.exposed_transfer);
  row.loss_wait = row.exposed_wait - ideal(base.exposed_wait);
  row.loss_idle = row.loss - row.loss_compute - row.loss_transfer - row.loss_wait;
  if (row.step.ns > 0) {
    row.efficiency = static_cast<double>(ideal(base.step).ns) / static_cast<double>(row.step.ns);
  }
}

}  // namespace

std::optional<Scaling> FindScaling(const JobsReport& report) {
  std::vector<Run> runs = RunsOf(report);
  std::ranges::stable_sort(runs, {}, [](const Run& run) { return run.row.devices; });
  std::vector<Run> kept;
  for (Run& run : runs) {
    if (!kept.empty() && (run.row.devices == kept.back().row.devices ||
                          !SameProgram(*kept.front().example, *run.example))) {
      continue;
    }
    kept.push_back(std::move(run));
  }
  if (kept.size() < 2) return std::nullopt;
  Scaling scaling;
  const Run &first = kept.front(), &last = kept.back();
  // Without shapes the same work a device is what people usually do.
  if (first.elements > 0 && last.elements > 0) {
    const double grown = last.elements / first.elements;
    const double divided =
        static_cast<double>(first.row.devices) / static_cast<double>(last.row.devices);
    scaling.weak =
        std::abs(grown - 1) <= kSameInput || std::abs(grown - 1) < std::abs(grown - divided);
  }
  const ScalingRun base = first.row;
  for (Run& run : kept) {
    Compare(base, scaling.weak, run.row);
    scaling.runs.push_back(run.row);
  }
  return scaling;
}

}  // namespace stepscope
