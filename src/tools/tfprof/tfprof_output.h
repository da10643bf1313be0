#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/tfprof/advise.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/options.h"
#include "tools/tfprof/text.h"
#include "tools/tfprof/view.h"

namespace stepscope::tfprof {

// By tfprof's name of a view: scope, graph, op, code.
std::optional<ViewKind> ViewKindOf(std::string_view name);
View MakeView(ViewKind kind, const Model& model, const Options& options);
// What tfprof says on standard error when there is nothing to show; empty: there is.
std::string CannotShow(const Model& model, ViewKind kind, const Options& options);

// What a view gives, for whoever asked: a terminal or a Python program.
struct Shown {
  std::string out;                 // for standard output
  std::vector<std::string> notes;  // for standard error
  bool refused = false;            // the notes say why
  std::optional<View> view;        // none when refused, and of a timeline of all steps
  std::optional<Error> fault;      // a file that cannot be written
};

// Does what -output asks for: text with or without its frame, a timeline, a pprof file, nothing.
// Files are written here; the same bytes as TensorFlow's.
Shown Show(const Model& model, ViewKind kind, const Options& options,
           const TensorText& tensor_text);

// The paragraphs `advise` prints.
std::string AdviceText(const Advice& advice);

}  // namespace stepscope::tfprof
