#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "command/output.h"
#include "tools/tfprof/options.h"

namespace stepscope {

// The files a view is made of, by tfprof's names, or paths that are looked into.
struct ViewInputs {
  std::string graph;
  std::vector<std::string> run_metas;  // steps 0, 1, 2 …
  std::string op_log;
  std::string checkpoint;
  std::string profile;
  std::vector<std::string> paths;

  bool named() const {
    return !graph.empty() || !run_metas.empty() || !op_log.empty() || !checkpoint.empty() ||
           !profile.empty();
  }
};

struct ViewRequest {
  std::string view;  // scope, graph, op, code, advise; empty: the prompt
  ViewInputs inputs;
  tfprof::Options options;
  bool output_given = false;  // without -output a person reads it
  bool wall = false;
  bool csv = false;
  OutputOptions style;
  std::vector<std::string> checkers;  // of advise; all by default
  std::string write_profile;
  std::string trace;  // which of several; empty: all
  bool help = false;
  std::vector<std::string> hints;  // about values that TensorFlow takes silently
};

// tfprof's command line: one or two dashes, `=` or a blank before the value, hyphens or
// underscores. That is why the option parser of the other verbs does not parse it.
Result<ViewRequest> ParseViewRequest(std::span<char*> arguments);
// The same for one line of the prompt; starts from what `set` has stored.
Result<ViewRequest> ParseViewLine(std::string_view line, const ViewRequest& stored);
std::string ViewHelp();
bool IsViewCommand(std::string_view word);
std::vector<std::string_view> ViewOptionNames();  // without dashes

}  // namespace stepscope
