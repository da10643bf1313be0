// A model made of a profile's spans, see trace_model.h.
#include <algorithm>
#include <functional>

#include "tools/tfprof/model.h"

namespace stepscope::tfprof {

int32_t Model::ObservedNode(std::string_view name, std::string_view op, std::string_view device,
                            std::span<const CodeFrame> frames) {
  const int32_t known = FindNode(name);
  if (known != kNoNode) return known;
  // The table keeps the texts where they are as long as the model lives.
  const int32_t index = AddNode(strings_[strings_.Intern(name)], strings_[strings_.Intern(op)]);
  Node& node = NodeAt(index);
  node.device = strings_.Intern(device);
  AddType(node, device);
  AddFrames(node, frames);
  return index;
}

void Model::AddObserved(int32_t node, int64_t step, const ObservedTimes& times) {
  Node& target = NodeAt(node);
  NodeRun* run = nullptr;
  for (NodeRun& each : target.runs) {
    if (each.step == step) run = &each;
  }
  if (run == nullptr) {
    run = &target.runs.emplace_back();
    run->step = step;
    steps_.insert(step);
  }
  run->run_count += times.runs;
  run->cpu_micros += times.cpu_micros;
  run->accelerator_micros += times.accelerator_micros;
  run->requested_bytes += times.bytes;
  if (times.runs == 0) return;
  if (!times.input_shapes.empty()) AddShapes(*run, times);
  run->all_start = run->all_start == 0 ? times.start : std::min(run->all_start, times.start);
  run->latest_end = std::max(run->latest_end, times.start + times.span);
  if (times.span > 0) run->cpu.push_back({target.device, times.start, times.span});
  if (times.accelerator_micros > 0) {
    run->accelerator.push_back({target.device, times.start, times.accelerator_micros});
  }
}

void Model::AddShapes(NodeRun& run, const ObservedTimes& times) {
  saw_shapes_ = true;
  const StringId text = strings_.Intern(times.input_shapes);
  auto seen = std::ranges::find(run.shapes, text, &SeenShapes::text);
  if (seen == run.shapes.end()) seen = run.shapes.insert(seen, {.text = text});
  seen->runs += times.runs;
  seen->micros += times.cpu_micros + times.accelerator_micros;
}

std::vector<SeenShapes> Model::ShapesSeen(const Node& node, int64_t step) const {
  std::vector<SeenShapes> all;
  for (const NodeRun& run : node.runs) {
    if (step >= 0 && run.step != step) continue;
    for (const SeenShapes& shapes : run.shapes) {
      auto known = std::ranges::find(all, shapes.text, &SeenShapes::text);
      if (known == all.end()) known = all.insert(known, {.text = shapes.text});
      known->runs += shapes.runs;
      known->micros += shapes.micros;
    }
  }
  std::ranges::stable_sort(all, std::greater<>(), &SeenShapes::runs);
  const auto steps = static_cast<int64_t>(step < 0 ? node.runs.size() : 1);
  for (SeenShapes& shapes : all) {
    shapes.runs = std::max<int64_t>(1, shapes.runs / steps);  // one in some of the steps is one
    shapes.micros /= steps;
  }
  return all;
}

void Model::AddObservedInput(int32_t node, int32_t source) {
  std::vector<NodeInput>& inputs = NodeAt(node).inputs;
  inputs.push_back({static_cast<int32_t>(inputs.size()), source, 0});
}

void Model::FinishObserved(std::span<const Column> absent, bool has_code) {
  for (const Column column : absent) lacks_[static_cast<size_t>(column)] = true;
  has_code_ = has_code;
  for (Node& node : nodes_) {
    std::sort(node.runs.begin(), node.runs.end(),
              [](const NodeRun& a, const NodeRun& b) { return a.step < b.step; });
  }
  Finish();
}

}  // namespace stepscope::tfprof
