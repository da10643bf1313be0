#include <fmt/core.h>

#include <deque>

#include "command/errors.h"
#include "command/verb.h"
#include "present/unicode.h"
#include "tools/tfprof/view_command.h"
#include "tools/tfprof/view_inputs.h"
#include "tools/tfprof/view_options.h"
#include "tools/tfprof/view_prompt.h"

namespace stepscope {

int RunView(std::span<char*> arguments) {
  Result<ViewRequest> request = ParseViewRequest(arguments);
  if (!request) return PrintError("view", request.error());
  if (request->help || arguments.empty()) {
    fmt::print("{}", ViewHelp());
    return arguments.empty() ? kExitUsage : kExitFine;
  }
  Result<LoadedModel> loaded = LoadModel(request->inputs);
  if (!loaded) return PrintError("view", loaded.error());
  // The process ends with the view: the system takes the memory back at once, where a destructor
  // would free it node by node.
  static auto& kept = *new std::deque<LoadedModel>();
  LoadedModel& model = kept.emplace_back(std::move(*loaded));
  for (const std::string& note : model.notes) {
    fmt::print(stderr, "{}\n", SafeText(note, Sgr::kNot));
  }
  if (request->view.empty()) return RunViewPrompt(*request, model);
  return ShowView(*request, model);
}

}  // namespace stepscope
