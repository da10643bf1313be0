#include "present/capture_text.h"

#include <fmt/format.h>

#include <utility>

#include "present/json_writer.h"
#include "present/table.h"
#include "present/units.h"

namespace stepscope {
namespace {

std::string_view Doing(CapturePhase phase) {
  switch (phase) {
    case CapturePhase::kConnecting:
      return "connecting to";
    case CapturePhase::kOthers:
      return "waiting until another capture ends:";
    case CapturePhase::kPoll:
      return "waiting to be asked by";
    case CapturePhase::kWarmUp:
      return "warming up:";
    case CapturePhase::kCollecting:
      return "collecting from";
    case CapturePhase::kWriting:
      return "waiting for the profile of";
  }
  std::unreachable();
}

std::string Age(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string CaptureSentence(const CaptureMoment& moment) {
  std::string out = fmt::format("{} {}", Doing(moment.phase), moment.what);
  if (moment.seconds_left > 0) out += fmt::format(", {:.1f} s left", moment.seconds_left);
  if (moment.bytes > 0) out += fmt::format(", {}", FormatBytes(static_cast<int64_t>(moment.bytes)));
  return out;
}

std::string CapturableText(const CapturableList& list, const Style& style) {
  std::string out;
  if (list.processes.empty()) {
    out = "no process here uses PyTorch, JAX, TensorFlow, vLLM or SGLang\n";
  } else {
    Table table("target", {{"", Align::kLeft, Fit::kKeep},
                           {"pid", Align::kRight, Fit::kKeep},
                           {"user", Align::kLeft, Fit::kDrop},
                           {"age", Align::kRight, Fit::kDrop},
                           {"uses", Align::kLeft, Fit::kKeep},
                           {"command", Align::kLeft, Fit::kShorten}});
    for (const Capturable& process : list.processes) {
      table.AddRow({process.target.empty() ? Cell("-") : Cell(process.target, Color::kGreen),
                    fmt::format("{}", process.pid), UserName(process.uid), Age(process.age_s),
                    process.framework, process.command});
    }
    out = table.Render(style);
    for (const Capturable& process : list.processes) {
      if (!process.target.empty()) continue;
      out += fmt::format("{}: {}\n  next: {}\n", process.pid, style.Clean(process.missing),
                         style.Clean(process.fix));
    }
  }
  if (list.hidden > 0) {
    out += fmt::format("{} cannot be looked into: other users' or protected ones\n",
                       Plural(list.hidden, "process", "processes"));
  }
  return out;
}

std::string CapturableJson(const CapturableList& list) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(JsonWriter::Layout::kLines);
  json.Field("schema", "stepscope.capture.list/1");
  json.Field("hidden", list.hidden);
  json.Key("processes");
  json.BeginArray(JsonWriter::Layout::kLines);
  for (const Capturable& process : list.processes) {
    json.BeginObject();
    json.Field("pid", process.pid);
    json.Field("user", UserName(process.uid));
    json.Field("age_s", process.age_s);
    json.Field("framework", process.framework);
    json.Field("target", process.target);
    json.Field("missing", process.missing);
    json.Field("fix", process.fix);
    json.Field("command", process.command);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return out + "\n";
}

}  // namespace stepscope
