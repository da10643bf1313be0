#include "diff/baseline.h"

#include <array>

#include "io/byte_source.h"
#include "present/json_writer.h"
#include "words/diff.h"

namespace stepscope::diff {
namespace {

constexpr SayFrom<kDiffTexts> Say;

using enum JsonWriter::Layout;

constexpr std::string_view kSchema = "stepscope.baseline/1";
constexpr size_t kPeeked = 4096;

constexpr std::array<std::string_view, 5> kKinds = {"op", "range", "input", "call", "kernel"};

void WriteTexts(std::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) json.Value(text);
  json.EndArray();
}

// Numbers of a step in the order of ReadStep.
void WriteStep(const RunStep& step, JsonWriter& json) {
  json.BeginObject();
  json.Field("number", step.number);
  json.Field("duration_ns", step.duration);
  json.Field("launches", step.launches);
  json.Field("input_wait_ns", step.input_wait);
  json.Field("host_ns", step.host);
  json.Key("devices");
  json.BeginArray();
  for (const DeviceOfStep& device : step.devices) {
    const Parts& parts = device.parts;
    json.BeginArray();
    for (const int64_t value : {device.work, parts.compute, parts.exposed_communication,
                                parts.exposed_copy, parts.exposed_memset, parts.idle}) {
      json.Value(value);
    }
    for (const int64_t value : parts.idle_causes) json.Value(value);
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
}

RunStep ReadStep(const JsonValue& value) {
  RunStep step;
  step.number = value["number"].AsInt();
  step.duration = value["duration_ns"].AsInt();
  step.launches = value["launches"].AsInt();
  step.input_wait = value["input_wait_ns"].AsInt();
  step.host = value["host_ns"].AsInt();
  for (const JsonValue& item : value["devices"].items()) {
    DeviceOfStep& device = step.devices.emplace_back();
    Parts& parts = device.parts;
    size_t next = 0;
    for (int64_t* to : {&device.work, &parts.compute, &parts.exposed_communication,
                        &parts.exposed_copy, &parts.exposed_memset, &parts.idle}) {
      *to = item[next++].AsInt();
    }
    for (int64_t& cause : parts.idle_causes) cause = item[next++].AsInt();
  }
  return step;
}

void WriteAtom(const Atom& atom, JsonWriter& json) {
  json.BeginObject();
  json.Field("kind", kKinds[static_cast<size_t>(atom.kind)]);
  const std::array<std::pair<std::string_view, const std::string*>, 7> texts = {
      {{"module", &atom.module},
       {"op", &atom.op},
       {"shapes", &atom.shapes},
       {"types", &atom.types},
       {"pass", &atom.pass},
       {"line", &atom.line},
       {"kernel", &atom.kernel}}};
  for (const auto& [key, text] : texts) {
    if (!text->empty()) json.Field(key, *text);
  }
  if (!atom.kernel.empty()) json.Field("category", static_cast<int>(atom.category));
  json.Field("order", atom.order);
  json.Key("steps");  // step, calls, device ns, host ns, and so on
  json.BeginArray();
  for (const StepValue& cell : atom.cells) {
    json.Value(cell.step);
    json.Value(cell.calls);
    json.Value(cell.device);
    json.Value(cell.host);
  }
  json.EndArray();
  json.EndObject();
}

Atom ReadAtom(const JsonValue& value, size_t steps) {
  Atom atom;
  for (size_t i = 0; i < kKinds.size(); ++i) {
    if (value["kind"].text() == kKinds[i]) atom.kind = static_cast<AtomKind>(i);
  }
  atom.module = value["module"].text();
  atom.op = value["op"].text();
  atom.shapes = value["shapes"].text();
  atom.types = value["types"].text();
  atom.pass = value["pass"].text();
  atom.line = value["line"].text();
  atom.kernel = value["kernel"].text();
  const int64_t category = value["category"].AsInt();
  if (category >= 0 && category <= static_cast<int64_t>(KernelCategory::kTriton)) {
    atom.category = static_cast<KernelCategory>(category);
  }
  atom.order = static_cast<uint32_t>(value["order"].AsInt());
  const std::vector<JsonValue>& cells = value["steps"].items();
  for (size_t i = 0; i + 3 < cells.size(); i += 4) {
    const int64_t step = cells[i].AsInt();
    if (step < 0 || static_cast<size_t>(step) >= std::max<size_t>(steps, 1)) continue;
    atom.cells.push_back({static_cast<uint32_t>(step), cells[i + 1].AsInt(), cells[i + 2].AsInt(),
                          cells[i + 3].AsInt()});
  }
  return atom;
}

void WriteRun(const Run& run, JsonWriter& json) {
  json.BeginObject(kLines);
  WriteTexts("paths", run.paths, json);
  json.Field("rank", run.rank);
  json.Field("ranks", run.ranks);
  json.Key("environment");
  json.BeginObject();
  for (const auto& [name, value] : run.environment) json.Field(name, value);
  json.EndObject();
  WriteTexts("devices", run.devices, json);
  json.Field("main_device", run.main_device);
  json.Field("host_only", run.host_only);
  json.Field("has_steps", run.has_steps);
  json.Field("per_step_nodes", run.per_step_nodes);
  if (run.damaged) json.Field("damaged", true);
  json.Key("steps");
  json.BeginArray(kLines);
  for (const RunStep& step : run.steps) WriteStep(step, json);
  json.EndArray();
  json.Key("nodes");
  json.BeginArray(kLines);
  for (const Atom& atom : run.atoms) WriteAtom(atom, json);
  json.EndArray();
  json.Key("peak_memory_bytes");
  json.BeginObject();
  for (const auto& [device, bytes] : run.peak_memory) json.Field(device, bytes);
  json.EndObject();
  json.Key("findings");
  json.BeginArray(kLines);
  for (const RunFinding& finding : run.findings) {
    json.BeginObject();
    json.Field("rule", finding.rule);
    json.Field("saving_lo_ns", finding.saving_lo);
    json.Field("saving_hi_ns", finding.saving_hi);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

Run ReadRun(const JsonValue& value) {
  Run run;
  for (const JsonValue& path : value["paths"].items()) run.paths.push_back(path.text());
  if (!value["rank"].is_null()) run.rank = value["rank"].AsInt();
  run.ranks = static_cast<uint32_t>(std::max<int64_t>(value["ranks"].AsInt(), 1));
  for (const auto& [name, text] : value["environment"].members()) {
    run.environment[name] = text.text();
  }
  for (const JsonValue& device : value["devices"].items()) run.devices.push_back(device.text());
  run.main_device = value["main_device"].text();
  run.host_only = value["host_only"].AsBool();
  run.has_steps = value["has_steps"].AsBool();
  run.per_step_nodes = value["per_step_nodes"].AsBool();
  run.damaged = value["damaged"].AsBool();
  for (const JsonValue& step : value["steps"].items()) {
    RunStep& read = run.steps.emplace_back(ReadStep(step));
    read.devices.resize(run.devices.size());
  }
  for (const JsonValue& atom : value["nodes"].items()) {
    run.atoms.push_back(ReadAtom(atom, run.steps.size()));
  }
  for (const auto& [device, bytes] : value["peak_memory_bytes"].members()) {
    run.peak_memory[device] = bytes.AsInt();
  }
  for (const JsonValue& finding : value["findings"].items()) {
    run.findings.push_back(
        {finding["rule"].text(), finding["saving_lo_ns"].AsInt(), finding["saving_hi_ns"].AsInt()});
  }
  if (run.paths.empty()) run.paths.emplace_back();
  HashContent(run);
  return run;
}

}  // namespace

std::string BaselineJson(std::span<const Run> runs) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(kLines);
  json.Field("schema", kSchema);
  json.Field("version", STEPSCOPE_VERSION);
  json.Key("runs");
  json.BeginArray(kLines);
  for (const Run& run : WithoutCopies({runs.begin(), runs.end()})) WriteRun(run, json);
  json.EndArray();
  json.EndObject();
  out += '\n';
  return out;
}

Result<std::optional<std::vector<Run>>> ReadStoredRuns(const std::string& path) {
  constexpr std::string_view kReport = "\"stepscope.report/1\"",
                             kReports = "\"stepscope.reports/1\"";
  if (path == "-") return std::nullopt;
  const Result<std::string> start = HeadOf(path, kPeeked);
  if (!start) return std::nullopt;  // a directory, or nothing: opening the profile says which
  const auto says = [&](std::string_view text) { return start->find(text) != std::string::npos; };
  const bool is_baseline = says(kSchema);
  if (!is_baseline && !says(kReport) && !says(kReports)) return std::nullopt;
  Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  Result<JsonValue> document = ParseJson({bytes->bytes().data(), bytes->bytes().size()});
  if (!document) {
    document.error().file = path;
    document.error().next_step = Say("diff.write-again");
    return std::unexpected(std::move(document.error()));
  }
  std::vector<Run> runs;
  if (is_baseline) {
    for (const JsonValue& run : (*document)["runs"].items()) runs.push_back(ReadRun(run));
  } else if (says(kReports)) {
    for (const JsonValue& report : (*document)["reports"].items())
      runs.push_back(RunOfReport(report));
  } else {
    runs.push_back(RunOfReport(*document));
  }
  if (runs.empty()) {
    return Fail(ErrorCode::kDamaged, Say("diff.no-run"), path, Say("diff.write-again"));
  }
  return runs;
}

}  // namespace stepscope::diff
