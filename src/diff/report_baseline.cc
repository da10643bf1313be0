#include <algorithm>

#include "base/event_loss.h"
#include "diff/baseline.h"

namespace stepscope::diff {
namespace {

constexpr std::string_view kRange = "user_annotation";

void AddStep(const JsonValue& item, Run& run) {
  RunStep step;
  step.number = item["number"].AsInt();
  step.duration = item["duration_ns"].AsInt();
  step.devices.resize(run.devices.size());
  for (const JsonValue& of : item["devices"].items()) {
    const auto at = std::find(run.devices.begin(), run.devices.end(), of["device"].text());
    if (at == run.devices.end()) continue;
    Parts& parts = step.devices[static_cast<size_t>(at - run.devices.begin())].parts;
    parts.compute = of["compute_ns"].AsInt();
    parts.exposed_communication = of["exposed_communication_ns"].AsInt();
    parts.exposed_copy = of["exposed_copy_ns"].AsInt();
    parts.exposed_memset = of["exposed_memset_ns"].AsInt();
    parts.idle = of["idle_ns"].AsInt();
    for (const JsonValue& cause : of["idle_causes"].items()) {
      for (size_t i = 0; i < kCauses; ++i) {
        if (cause["cause"].text() == NameOf(static_cast<Cause>(i))) {
          parts.idle_causes[i] = cause["ns"].AsInt();
        }
      }
    }
  }
  run.steps.push_back(std::move(step));
}

void AddSteps(const JsonValue& report, Run& run) {
  const std::vector<JsonValue>& items = report["steps"]["items"].items();
  if (!items.empty()) {
    for (const JsonValue& device : items.front()["devices"].items()) {
      run.devices.push_back(device["device"].text());
    }
  }
  run.main_device = report["verdict"]["device"].text();
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i]["used"].AsBool()) continue;
    AddStep(items[i], run);
    run.steps.back().input_wait = report["input"]["wait_ns"][i].AsInt();
  }
  run.has_steps = !run.steps.empty();
}

// Shapes as traces spell them: "[[8,512],[]]".
std::string ShapesText(const JsonValue& value) {
  if (value.kind() != JsonValue::Kind::kArray) return value.text();
  std::string text = "[";
  for (const JsonValue& item : value.items()) {
    if (text.size() > 1) text += ',';
    text += ShapesText(item);
  }
  return text + "]";
}

// Sums over the profile as means per step.
void AddNodes(const JsonValue& report, Run& run) {
  const int64_t steps = std::max<int64_t>(report["steps"]["count"].AsInt(), 1);
  const bool by_shape = !report["ops_by_shape"].items().empty();
  const auto add = [&](const JsonValue& row, std::string shapes) {
    Atom atom;
    atom.kind = row["kind"].text() == kRange ? AtomKind::kRange : AtomKind::kOp;
    atom.op = row["name"].text();
    atom.shapes = std::move(shapes);
    atom.order = static_cast<uint32_t>(run.atoms.size());
    StepValue cell;
    cell.calls = (row["calls"].AsInt() + steps / 2) / steps;
    // Device work belongs to ops; a range's would be counted twice.
    cell.device = atom.kind == AtomKind::kRange ? 0 : row["device_self_ns"].AsInt() / steps;
    cell.host = row["host_self_ns"].AsInt() / steps;
    // The means stand for every step: medians of steps are then the means.
    for (uint32_t s = 0; s < std::max<size_t>(run.steps.size(), 1); ++s) {
      cell.step = s;
      atom.cells.push_back(cell);
    }
    run.atoms.push_back(std::move(atom));
  };
  for (const JsonValue& row : report["ops"].items()) {
    const bool is_range = row["kind"].text() == kRange;
    if (!by_shape || is_range) add(row, {});
  }
  for (const JsonValue& row : report["ops_by_shape"].items())
    add(row, ShapesText(row["input_shapes"]));
}

void AddEnvironment(const JsonValue& report, Run& run) {
  const JsonValue& profile = report["profile"];
  for (const char* name : {"format", "framework", "framework_version", "host", "world_size"}) {
    if (!profile[name].is_null()) run.environment[name] = profile[name].text();
  }
  std::string devices;
  bool accelerator = false;
  for (const JsonValue& device : profile["devices"].items()) {
    if (device["id"].text().starts_with("cpu:")) continue;
    accelerator = true;
    if (!devices.empty()) devices += ", ";
    devices += device["name"].text();
  }
  if (!devices.empty()) run.environment["devices"] = devices;
  run.host_only = !accelerator;
  if (!profile["rank"].is_null()) run.rank = profile["rank"].AsInt();
  for (const JsonValue& path : profile["paths"].items()) run.paths.push_back(path.text());
  if (run.paths.empty()) run.paths.emplace_back();
}

bool IsLoss(std::string_view code) {
  for (uint8_t i = 0; i <= static_cast<uint8_t>(Diagnostic::kNotRecorded); ++i) {
    const auto diagnostic = static_cast<Diagnostic>(i);
    if (CodeOf(diagnostic) == code) return LosesEvents(diagnostic);
  }
  return false;
}

}  // namespace

Run RunOfReport(const JsonValue& report) {
  Run run;
  run.per_step_nodes = false;
  AddEnvironment(report, run);
  AddSteps(report, run);
  AddNodes(report, run);
  const int64_t count = std::max<int64_t>(report["steps"]["count"].AsInt(), 1);
  for (RunStep& step : run.steps) step.launches = report["launches"]["pairs"].AsInt() / count;
  for (const JsonValue& row : report["memory"].items()) {
    const JsonValue& own = row["peak_allocated_bytes"];
    run.peak_memory[row["device"].text()] =
        own.is_null() ? row["peak_of_running_sum_bytes"].AsInt() : own.AsInt();
  }
  for (const JsonValue& finding : report["findings"].items()) {
    run.findings.push_back({finding["rule"].text(), finding["saving"]["lo_ns"].AsInt(),
                            finding["saving"]["hi_ns"].AsInt()});
  }
  for (const JsonValue& entry : report["quality"].items()) {
    run.damaged |= IsLoss(entry["code"].text());
  }
  HashContent(run);
  return run;
}

}  // namespace stepscope::diff
