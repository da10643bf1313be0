#include "serve/capture_api.h"

#include <charconv>

#include "capture/processes/capturable.h"
#include "present/capture_text.h"
#include "serve/trace_api.h"
#include "words/serve.h"

namespace stepscope {
namespace {

constexpr SayFrom<kServeTexts> Say;

std::string ParameterOf(const HttpRequest& request, const char* name) {
  const auto found = request.parameters.find(name);
  return found == request.parameters.end() ? "" : found->second;
}

int64_t NumberOf(const HttpRequest& request, const char* name) {
  const std::string text = ParameterOf(request, name);
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

HttpAnswer StartCapture(CaptureJob& job, const HttpRequest& request) {
  const Result<CaptureTarget> target = ParseCaptureTarget(ParameterOf(request, "target"));
  if (!target) return Refusal(400, target.error().sentence);
  const std::string text = ParameterOf(request, "for");
  const auto duration = ParseDuration(text.empty() ? "2s" : text);
  if (!duration) return Refusal(400, duration.error().sentence);
  CaptureChoices choices;
  choices.levels.python = NumberOf(request, "python") != 0;
  choices.kineto.stacks = NumberOf(request, "stacks") != 0;
  choices.kineto.steps = choices.serving.steps =
      std::clamp<int64_t>(NumberOf(request, "steps"), 0, 10'000);
  if (!job.Start(*target, choices, *duration)) return Refusal(409, Say("serve.capture-runs"));
  return {.status = 202, .body = "{}"};
}

}  // namespace

HttpAnswer AnswerAboutCapture(CaptureJob& job, const HttpRequest& request, std::string_view rest) {
  const bool changes = rest.empty() || rest == "/stop";
  if (changes && request.method != "POST") return Refusal(405, Say("serve.only-post"));
  if (!changes && request.method == "POST") return Refusal(405, Say("serve.only-get"));
  if (rest.empty()) return StartCapture(job, request);
  if (rest == "/stop") {
    job.Stop();
    return {.status = 202, .body = "{}"};
  }
  if (rest == "/targets") return {.body = CapturableJson(FindCapturable(), request.language())};
  if (rest == "/events") {
    auto seen = std::make_shared<uint64_t>(0);
    return {.type = "text/event-stream",
            .stream = [&job, seen, language = request.language()](std::string& next) {
              const std::string state = job.StateJson(*seen, true, language);
              next = state.empty() ? ":\n\n" : "data: " + state + "\n\n";
              return true;
            }};
  }
  return Refusal(404, Say("serve.no-question"));
}

}  // namespace stepscope
