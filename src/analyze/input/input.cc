#include "analyze/input/input.h"

#include <algorithm>
#include <tuple>

#include "analyze/coverage.h"
#include "analyze/host_spans.h"
#include "analyze/input/tf_data.h"
#include "base/flat_index.h"

namespace stepscope {
namespace {

constexpr int kMaxPath = 16;  // names in a path

// By slice: the next stage around it, kNoRow when there is none.
std::vector<uint32_t> StagesAround(const Trace& trace) {
  std::vector<uint32_t> around(trace.slices.size(), kNoRow);
  for (uint32_t i = 0; i < around.size(); ++i) {
    const SliceId up = trace.slices.parent[i];
    if (up == kNoSlice) continue;
    around[i] = IsInputSpan(trace, Index(up)) ? Index(up) : around[Index(up)];
  }
  return around;
}

bool HasInput(const Trace& trace) {
  const auto is_stage = [](const NameTraits& traits) { return traits.input_stage; };
  return std::any_of(trace.traits.begin(), trace.traits.end(), is_stage) ||
         std::find(trace.slices.kind.begin(), trace.slices.kind.end(), Kind::kInput) !=
             trace.slices.kind.end();
}

// Stages by (name, name of the stage around).
class Stages {
 public:
  explicit Stages(const Trace& trace) : trace_(trace), around_(StagesAround(trace)) {}

  void Add(uint32_t slice) {
    InputStage& stage = At(slice);
    stage.self += trace_.slices.duration[slice];
    ++stage.calls;
    if (around_[slice] != kNoRow) At(around_[slice]).self -= trace_.slices.duration[slice];
  }

  std::vector<InputStage> Take() && {
    std::sort(stages_.begin(), stages_.end(), [](const InputStage& a, const InputStage& b) {
      return std::tie(b.self, a.path) < std::tie(a.self, b.path);
    });
    return std::move(stages_);
  }

 private:
  InputStage& At(uint32_t slice) {
    const uint32_t around = around_[slice];
    const uint32_t name = Index(trace_.slices.name[slice]);
    const uint32_t outer =
        around == kNoRow ? Index(kEmptyString) : Index(trace_.slices.name[around]);
    const uint32_t at = index_.Of(uint64_t{name} << 32 | outer);
    if (at == stages_.size()) {
      InputStage& stage = stages_.emplace_back();
      stage.name = trace_.Name(slice);
      stage.path = PathOf(slice);
    }
    return stages_[at];
  }

  std::string PathOf(uint32_t slice) const {
    std::string path(trace_.Name(slice));
    int names = 1;
    for (uint32_t up = around_[slice]; up != kNoRow && names < kMaxPath; up = around_[up]) {
      path.insert(0, " > ").insert(0, trace_.Name(up));
      ++names;
    }
    return path;
  }

  const Trace& trace_;
  const std::vector<uint32_t> around_;
  FlatIndex index_;
  std::vector<InputStage> stages_;
};

}  // namespace

Input AnalyzeInput(const Trace& trace, const Threads& threads, uint32_t main_thread,
                   const std::vector<Interval>& windows) {
  if (HasTfData(trace)) return AnalyzeTfData(trace, windows);
  Input input;
  input.wait.resize(windows.size());
  if (!HasInput(trace)) return input;
  const Slices& slices = trace.slices;
  Stages stages(trace);
  std::vector<Interval> waits;
  for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
    const Track& track = trace.tracks[t];
    if (track.kind == TrackKind::kStream) continue;
    const bool main = main_thread != kNoRow && threads.Of(TrackId{t}) == main_thread;
    for (uint32_t slice = track.slices.first; slice < track.slices.last; ++slice) {
      const bool frame =
          main && slices.kind[slice] == Kind::kPythonFrame && trace.Traits(slice).input_stage;
      const bool stage = IsInputSpan(trace, slice);
      if (stage) stages.Add(slice);
      // Stages recorded as such also run ahead on threads of their own; only the consumer waits.
      const bool waits_here = frame || (stage && (main || slices.kind[slice] != Kind::kInput));
      if (waits_here) waits.push_back({slices.start[slice], slices.end(slice)});
    }
  }
  const Coverage wait(IntervalSet::Of(std::move(waits)));
  for (size_t w = 0; w < windows.size(); ++w) input.wait[w] = wait.Within(windows[w]);
  input.stages = std::move(stages).Take();
  return input;
}

}  // namespace stepscope
