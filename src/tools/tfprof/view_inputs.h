#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/study.h"
#include "tools/tfprof/checkpoint/checkpoint.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/view.h"
#include "tools/tfprof/view_options.h"

namespace stepscope {

struct LoadedModel {
  tfprof::Model model;
  std::optional<Checkpoint> checkpoint;
  std::vector<std::string> notes;  // what the readers and tfprof have to say
  // Profiles that are not TensorFlow models, one trace per rank or host; nodes depend on the view.
  std::unique_ptr<Study> study;

  // Makes `model` the one for this view of a trace; only where there are traces.
  void PrepareFor(tfprof::ViewKind kind, size_t trace_number);
};

Result<LoadedModel> LoadModel(const ViewInputs& inputs);

// What a view of a trace is made of; the data flow of compiled modules is read from its file.
tfprof::Model ViewedTrace(const LinkedTrace& linked, tfprof::ViewKind kind);

// Traces by what --trace says: a rank, a host, or a part of the file's name; all if it is empty.
Result<std::vector<size_t>> TracesNamed(const Profile& profile, std::string_view wanted);
// "rank 1 of host a: path"
std::string TraceLabel(const Trace& trace);

}  // namespace stepscope
