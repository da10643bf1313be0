#include "present/json_writer.h"
#include "tools/tune/tune_output.h"

namespace stepscope::tune {
namespace {

using enum JsonWriter::Layout;

void WriteVariables(const Setting& setting, JsonWriter& json) {
  json.Key("variables");
  json.BeginObject();
  for (const auto& [variable, value] : setting.variables) json.Field(variable, value);
  json.EndObject();
}

void WriteTexts(std::string_view key, const std::map<std::string, std::string>& texts,
                JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  for (const auto& [name, value] : texts) json.Field(name, value);
  json.EndObject();
}

std::string_view ResultName(const Trial& trial) {
  if (trial.failure() != nullptr) return "failed";
  return trial.Lost().empty() ? diff::NameOf(trial.compared.result) : "not_tried";
}

void WriteTrial(const Trial& trial, bool is_base, JsonWriter& json) {
  WriteVariables(trial.setting, json);
  const bool judged = trial.failure() == nullptr && trial.Lost().empty();
  json.Field("result", is_base && judged ? "base" : ResultName(trial));
  const diff::Comparison& compared = trial.compared;
  json.Field("median_ns", judged ? std::optional(compared.now.median) : std::nullopt);
  const bool compares = judged && !is_base;
  json.Field("change_ns", compares ? std::optional(compared.delta) : std::nullopt);
  json.Field("change_rel", compares ? compared.rel : std::nullopt);
  json.Field("lo_ns", compares ? compared.lo : std::nullopt);
  json.Field("hi_ns", compares ? compared.hi : std::nullopt);
  json.Field("p", compares ? compared.p : std::nullopt);
  json.Field("q", compares ? compared.q : std::nullopt);
  json.Field("runs_needed", compares ? compared.runs_needed : std::nullopt);
  json.Objects("runs", trial.runs, [&](const Measured& run) {
    json.Field("round", run.round);
    json.Field("run_ns", run.run_ns);
    json.Field("step_ns", run.step_ns);
    json.Field("steps", run.steps);
    json.Field("exit_code", run.exit_code);
    json.Field("signal", run.signal);
    json.Field("cut", run.cut);
    WriteTexts("overruled", run.overruled, json);
    WriteTexts("lost", run.lost, json);
  });
}

}  // namespace

std::string TunedJson(const Tuned& tuned, const diff::Settings& settings) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(kLines);
  json.Field("schema", "stepscope.tune/1");
  json.Field("metric", tuned.metric == Metric::kStep ? "step" : "run");
  json.Field("alpha", settings.alpha);
  json.Field("threshold", settings.threshold);
  json.Field("drift", tuned.drift);
  json.Field("best", tuned.best);
  json.Key("settings");
  json.BeginArray(kLines);
  for (const Trial& trial : tuned.trials) {
    json.BeginObject();
    WriteTrial(trial, &trial == &tuned.trials.front(), json);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return out + '\n';
}

}  // namespace stepscope::tune
