#include "analyze/input/tf_data.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/coverage.h"

namespace stepscope {
namespace {

constexpr std::string_view kPrefix = "Iterator::";

bool IsIterator(std::string_view name) { return name.starts_with(kPrefix); }

// "Iterator::Root::ForeverRepeat[0]::BatchV2" is {"Root", "ForeverRepeat", "BatchV2"}: the number
// in brackets is the epoch or the element, not another stage.
std::vector<std::string_view> PathOf(std::string_view name) {
  std::vector<std::string_view> path;
  name.remove_prefix(kPrefix.size());
  while (!name.empty()) {
    const size_t colons = name.find("::");
    std::string_view part = name.substr(0, colons);
    path.push_back(part.substr(0, part.find('[')));
    name.remove_prefix(colons == std::string_view::npos ? name.size() : colons + 2);
  }
  return path;
}

std::string Joined(const std::vector<std::string_view>& path) {
  std::string joined;
  for (const std::string_view part : path) {
    if (!joined.empty()) joined += " > ";
    joined += part;
  }
  return joined;
}

// "parallelism" of "name=…;parallelism=2;autotune=true".
std::string_view Described(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t semicolon = text.find(';');
    const std::string_view pair = text.substr(0, semicolon);
    if (pair.starts_with(key) && pair.size() > key.size() && pair[key.size()] == '=') {
      return pair.substr(key.size() + 1);
    }
    text.remove_prefix(semicolon == std::string_view::npos ? text.size() : semicolon + 1);
  }
  return {};
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty()) return std::nullopt;
  return number;
}

struct Stage {
  std::vector<std::string_view> path;
  bool root = false;
  std::vector<Interval> calls;
  IntervalSet running;  // union of the calls
  std::vector<size_t> children;
  std::string_view description;
  uint64_t buffer_seen = 0, buffer_empty = 0;
  int64_t buffered = 0;  // sum over the calls that say so
  DurationNs self, blocking;
};

class Pipeline {
 public:
  explicit Pipeline(const Trace& trace) : trace_(trace) {
    stage_of_name_.assign(trace.strings.size(), kUnknown);
    for (uint32_t slice = 0; slice < trace.slices.size(); ++slice) {
      if (trace.slices.kind[slice] == Kind::kInput) Add(slice);
    }
    FindParents();
    for (Stage& stage : stages_) stage.running = IntervalSet::Of(stage.calls);
    for (Stage& stage : stages_) FindSelf(stage);
  }

  // When the program waited: the calls of the roots.
  IntervalSet Waits() const {
    IntervalSet waits;
    for (const Stage& stage : stages_) {
      if (stage.root) waits = waits.Union(stage.running);
    }
    return waits;
  }

  // Assigns each wait to the stages that caused it.
  void Blame(const IntervalSet& waits) {
    IntervalSet left = waits;
    for (size_t i = 0; i < stages_.size(); ++i) {
      if (!stages_[i].root) continue;
      BlameBelow(i, left.Intersect(stages_[i].running));
      left = left.Subtract(stages_[i].running);
    }
  }

  std::vector<InputStage> Rows() const {
    std::vector<InputStage> rows;
    for (const Stage& stage : stages_) {
      InputStage row;
      row.name = stage.path.back();
      row.path = Joined(stage.path);
      row.self = stage.self;
      row.blocking = stage.blocking;
      for (const Interval& call : stage.calls) row.total += call.length();
      row.calls = stage.calls.size();
      const std::string_view written = Described(stage.description, "name");
      // TensorFlow adds stages of its own; a stage that it fused from several says so.
      row.user_written = row.name != "Root" && !written.starts_with("inject/");
      row.written_as = written;
      row.parallelism = NumberOf(Described(stage.description, "parallelism"));
      row.buffer_limit = NumberOf(Described(stage.description, "buffer_limit"));
      row.buffer_seen = stage.buffer_seen;
      row.buffer_empty = stage.buffer_empty;
      if (stage.buffer_seen > 0) {
        row.buffered = static_cast<double>(stage.buffered) / static_cast<double>(stage.buffer_seen);
      }
      row.autotuned = Described(stage.description, "autotune") == "true";
      rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end(), [](const InputStage& a, const InputStage& b) {
      return std::tie(b.blocking, b.self, a.path) < std::tie(a.blocking, a.self, b.path);
    });
    return rows;
  }

 private:
  static constexpr size_t kUnknown = ~size_t{0};
  static constexpr size_t kNoStage = kUnknown - 1;

  void Add(uint32_t slice) {
    const StringId name = trace_.slices.name[slice];
    size_t& stage = stage_of_name_[Index(name)];
    if (stage == kUnknown) stage = IsIterator(trace_.strings[name]) ? StageOf(name) : kNoStage;
    if (stage == kNoStage) return;
    stages_[stage].calls.push_back({trace_.slices.start[slice], trace_.slices.end(slice)});
    const uint32_t args = trace_.slices.args[slice];
    if (args == kNoRow) return;
    if (stages_[stage].description.empty()) {
      stages_[stage].description = trace_.strings[trace_.op_args[args].stack];
    }
    const int64_t buffered = trace_.op_args[args].sequence;
    if (buffered < 0) return;
    ++stages_[stage].buffer_seen;
    stages_[stage].buffer_empty += buffered == 0 ? 1 : 0;
    stages_[stage].buffered += buffered;
  }

  size_t StageOf(StringId name) {
    std::vector<std::string_view> path = PathOf(trace_.strings[name]);
    const auto [at, is_new] = by_path_.try_emplace(path, stages_.size());
    if (is_new) stages_.emplace_back().path = std::move(path);
    return at->second;
  }

  // The parent of a stage is the longest part of its path that was recorded.
  void FindParents() {
    for (size_t i = 0; i < stages_.size(); ++i) {
      std::vector<std::string_view> path = stages_[i].path;
      stages_[i].root = true;
      while (path.size() > 1) {
        path.pop_back();
        const auto parent = by_path_.find(path);
        if (parent == by_path_.end()) continue;
        stages_[i].root = false;
        stages_[parent->second].children.push_back(i);
        break;
      }
    }
  }

  IntervalSet RunningBelow(const Stage& stage) const {
    IntervalSet below;
    for (const size_t child : stage.children) below = below.Union(stages_[child].running);
    return below;
  }

  void FindSelf(Stage& stage) {
    const Coverage below(RunningBelow(stage));
    for (const Interval& call : stage.calls) stage.self += call.length() - below.Within(call);
  }

  void BlameBelow(size_t index, const IntervalSet& waiting) {
    if (waiting.empty()) return;
    IntervalSet left = waiting;
    for (const size_t child : stages_[index].children) {
      BlameBelow(child, left.Intersect(stages_[child].running));
      left = left.Subtract(stages_[child].running);
    }
    stages_[index].blocking += left.length();
  }

  const Trace& trace_;
  std::vector<size_t> stage_of_name_;  // by StringId
  std::map<std::vector<std::string_view>, size_t> by_path_;
  std::vector<Stage> stages_;
};

}  // namespace

bool HasTfData(const Trace& trace) {
  for (uint32_t id = 0; id < trace.strings.size(); ++id) {
    if (trace.traits[id].input_stage && IsIterator(trace.strings[StringId{id}])) return true;
  }
  return false;
}

Input AnalyzeTfData(const Trace& trace, const std::vector<Interval>& windows) {
  Input input;
  Pipeline pipeline(trace);
  const IntervalSet waiting = pipeline.Waits();
  const Coverage waits(waiting);
  input.wait.resize(windows.size());
  for (size_t w = 0; w < windows.size(); ++w) input.wait[w] = waits.Within(windows[w]);
  pipeline.Blame(waiting.Intersect(IntervalSet::Of(windows)));
  input.stages = pipeline.Rows();
  return input;
}

}  // namespace stepscope
