#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "link/links.h"
#include "link/steps.h"
#include "tools/tfprof/checkpoint/checkpoint.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/view.h"
#include "tools/tfprof/view_options.h"
#include "trace/trace.h"

namespace stepscope {

// Profiles that are not TensorFlow models, one per rank or host; the nodes depend on the view.
struct TraceSource {
  Profile profile;
  std::vector<Links> links;  // by trace
  std::vector<Steps> steps;
};

struct LoadedModel {
  tfprof::Model model;
  std::optional<Checkpoint> checkpoint;
  std::vector<std::string> notes;  // what the readers and tfprof have to say
  std::unique_ptr<TraceSource> trace;

  // Makes `model` the one for this view of a trace; only where there are traces.
  void PrepareFor(tfprof::ViewKind kind, size_t trace_number);
};

Result<LoadedModel> LoadModel(const ViewInputs& inputs);

// What a view of a trace is made of; the data flow of compiled modules is read from its file.
tfprof::Model ViewedTrace(const Trace& trace, const Links& links, const Steps& steps,
                          tfprof::ViewKind kind);

// Traces by what --trace says: a rank, a host, or a part of the file's name; all if it is empty.
Result<std::vector<size_t>> TracesNamed(const Profile& profile, std::string_view wanted);
// "rank 1 of host a: path"
std::string TraceLabel(const Trace& trace);

}  // namespace stepscope
