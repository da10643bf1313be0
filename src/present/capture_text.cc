#include "present/capture_text.h"

#include <fmt/format.h>

#include <utility>

#include "present/json_writer.h"
#include "present/table.h"
#include "present/units.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

Message Doing(CapturePhase phase, Messages what) {
  switch (phase) {
    case CapturePhase::kConnecting:
      return Say("capture.connecting", std::move(what));
    case CapturePhase::kOthers:
      return Say("capture.waiting-other", std::move(what));
    case CapturePhase::kPoll:
      return Say("capture.waiting-asked", std::move(what));
    case CapturePhase::kWarmUp:
      return Say("capture.warming-up", std::move(what));
    case CapturePhase::kCollecting:
      return Say("capture.collecting", std::move(what));
    case CapturePhase::kWriting:
      return Say("capture.waiting-profile", std::move(what));
  }
  std::unreachable();
}

std::string Age(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

Message CaptureSentence(const CaptureMoment& moment) {
  Message out = Doing(moment.phase, moment.what);
  if (moment.seconds_left > 0) {
    out = Say("capture.time-left", std::move(out), moment.seconds_left);
  }
  if (moment.bytes > 0) {
    out = Say("capture.so-far", std::move(out), FormatBytes(static_cast<int64_t>(moment.bytes)));
  }
  return out;
}

std::string CapturableText(const CapturableList& list, const Style& style) {
  const SayIn<kCaptureTexts> say(style);
  std::string out;
  if (list.processes.empty()) {
    out = say("capture.none-here") + '\n';
  } else {
    Table table(say("capture.column.target"),
                {{"", Align::kLeft, Fit::kKeep},
                 {say("capture.column.pid"), Align::kRight, Fit::kKeep},
                 {say("capture.column.user"), Align::kLeft, Fit::kDrop},
                 {say("capture.column.age"), Align::kRight, Fit::kDrop},
                 {say("capture.column.uses"), Align::kLeft, Fit::kKeep},
                 {say("capture.column.command"), Align::kLeft, Fit::kShorten}});
    for (const Capturable& process : list.processes) {
      table.AddRow({process.target.empty() ? Cell("-") : Cell(process.target, Color::kGreen),
                    fmt::format("{}", process.pid), UserName(process.uid), Age(process.age_s),
                    process.framework, process.command});
    }
    out = table.Render(style);
    for (const Capturable& process : list.processes) {
      if (!process.target.empty()) continue;
      out += fmt::format("{}: {}\n{}\n", process.pid, style.Clean(style.Say(process.missing)),
                         say("capture.next", style.Clean(style.Say(process.fix))));
    }
  }
  if (list.hidden > 0) {
    out += say("capture.hidden", list.hidden) + '\n';
  }
  return out;
}

std::string CapturableJson(const CapturableList& list, Language language) {
  std::string out;
  JsonWriter json(out, language);
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
