#include "diff/run_of_trace.h"

#include <algorithm>
#include <string>

#include "advise/finding.h"
#include "analyze/report.h"
#include "base/event_loss.h"
#include "diff/atoms.h"
#include "trace/device_id.h"

namespace stepscope::diff {
namespace {

Parts PartsOf(const DeviceStep& device) {
  Parts parts{device.compute.ns,      device.exposed_communication.ns,
              device.exposed_copy.ns, device.exposed_memset.ns,
              device.idle.ns,         {}};
  for (size_t i = 0; i < kCauses; ++i) parts.idle_causes[i] = device.idle_causes[i].ns;
  return parts;
}

void AddSteps(const Reported& reported, const StepLookup& lookup, Run& run) {
  const Report& report = *reported.report;
  const std::vector<Step>& items = reported.linked->steps.items;
  for (const uint32_t i : lookup.used()) {
    RunStep step;
    step.number = items[i].number;
    step.duration = items[i].duration.ns;
    if (i < report.input.wait.size()) step.input_wait = report.input.wait[i].ns;
    step.devices.resize(run.devices.size());
    for (const DeviceStep& device : report.breakdown[i].devices) {
      const std::string id = DeviceIdAt(reported.trace(), device.device);
      const auto at = std::find(run.devices.begin(), run.devices.end(), id);
      step.devices[static_cast<size_t>(at - run.devices.begin())].parts = PartsOf(device);
    }
    run.steps.push_back(std::move(step));
  }
}

void AddDevices(const Reported& reported, Run& run) {
  const Report& report = *reported.report;
  const LinkedTrace& linked = *reported.linked;
  run.host_only = linked.host_device.has_value();
  if (!report.breakdown.empty()) {
    for (const DeviceStep& device : report.breakdown.front().devices) {
      run.devices.push_back(DeviceIdAt(linked.trace, device.device));
    }
  }
  if (report.verdict.device >= 0) run.main_device = DeviceIdAt(linked.trace, report.verdict.device);
  if (run.main_device.empty() && !run.devices.empty()) run.main_device = run.devices.front();
}

void AddWork(const LinkedTrace& linked, const StepLookup& lookup, Run& run) {
  if (run.steps.empty()) return;
  std::vector<size_t> place;  // in Run::devices, by index into Trace::devices
  for (size_t d = 0; d < linked.trace.devices.size(); ++d) {
    const std::string id = DeviceIdAt(linked.trace, static_cast<int32_t>(d));
    const auto at = std::find(run.devices.begin(), run.devices.end(), id);
    place.push_back(static_cast<size_t>(at - run.devices.begin()));
  }
  for (const Work& item : linked.work.all()) {
    const uint32_t step = lookup.Of(item);
    if (step == kNoRow) continue;
    ++run.steps[step].launches;
    const size_t d = place[static_cast<size_t>(item.device)];
    if (d < run.devices.size()) run.steps[step].devices[d].work += (item.end - item.start).ns;
  }
}

// The leading dimension of the first shape in "[[2304],[4096,768]]" that has several.
std::string LeadingDimension(std::string_view shapes) {
  while (!shapes.empty()) {
    const size_t end = std::min(shapes.find(']'), shapes.size());
    const size_t open = shapes.substr(0, end).rfind('[');
    if (open == std::string_view::npos) return {};
    const std::string_view dimensions = shapes.substr(open + 1, end - open - 1);
    const size_t comma = dimensions.find(',');
    if (comma != std::string_view::npos) return std::string(dimensions.substr(0, comma));
    shapes.remove_prefix(std::min(end + 1, shapes.size()));
  }
  return {};
}

// That of the first matrix product or convolution: usually the batch, or rows of it.
std::string BatchOf(const std::vector<Atom>& atoms) {
  const Atom* first = nullptr;
  for (const Atom& atom : atoms) {
    const bool counts = atom.shapes.starts_with("[[") && TraitsOf(atom.op).tensor_core_eligible;
    if (counts && atom.pass != "backward" && (first == nullptr || atom.order < first->order)) {
      first = &atom;
    }
  }
  return first == nullptr ? std::string() : LeadingDimension(first->shapes);
}

void AddEnvironment(const Trace& trace, Run& run) {
  const RunFacts& facts = trace.facts;
  auto& to = run.environment;
  to["format"] = NameOf(facts.format);
  to["framework"] = facts.framework;
  to["framework_version"] = facts.framework_version;
  to["host"] = facts.host;
  if (facts.world_size) to["world_size"] = std::to_string(*facts.world_size);
  std::string names;
  for (const Device& device : trace.devices) {
    if (device.type == DeviceType::kCpu || device.name.empty()) continue;
    if (!names.empty()) names += ", ";
    names += device.name;
  }
  to["devices"] = names;
  to["batch"] = BatchOf(run.atoms);
  to["shapes_recorded"] = facts.has_shapes ? "yes" : "no";
  to["stacks_recorded"] = facts.has_stacks ? "yes" : "no";
  to["memory_recorded"] = facts.has_memory ? "yes" : "no";
  for (const auto& [name, note] : facts.notes) {
    if (name.find("version") != std::string::npos) to[name] = note;
  }
  std::erase_if(to, [](const auto& entry) { return entry.second.empty(); });
}

void AddMemory(const Report& report, Run& run) {
  for (const MemoryRow& row : report.memory) {
    run.peak_memory[DeviceIdOf(row.type, row.device)] =
        row.peak_allocated_bytes.value_or(row.peak_of_running_sum_bytes);
  }
}

}  // namespace

Run RunOfTrace(const Reported& reported) {
  const LinkedTrace& linked = *reported.linked;
  const StepLookup lookup(linked);
  Run run;
  run.paths.push_back(linked.trace.path);
  run.paths.insert(run.paths.end(), linked.trace.other_paths.begin(),
                   linked.trace.other_paths.end());
  run.rank = linked.trace.facts.rank;
  run.has_steps = lookup.size() > 0;
  run.damaged =
      std::ranges::any_of(reported.report->quality.entries(),
                          [](const Diagnostics::Entry& entry) { return LosesEvents(entry.code); });
  AddDevices(reported, run);
  AddSteps(reported, lookup, run);
  AddWork(linked, lookup, run);
  run.atoms = AtomsOf(linked, lookup);
  for (const Atom& atom : run.atoms) {
    for (const StepValue& cell : atom.cells) {
      if (cell.step < run.steps.size()) run.steps[cell.step].host += cell.host;
    }
  }
  AddEnvironment(linked.trace, run);
  AddMemory(*reported.report, run);
  if (reported.advice != nullptr) {
    for (const Finding& finding : reported.advice->findings) {
      run.findings.push_back(
          {std::string(finding.rule), finding.saving.lo.ns, finding.saving.hi.ns});
    }
  }
  HashContent(run);
  return run;
}

}  // namespace stepscope::diff
