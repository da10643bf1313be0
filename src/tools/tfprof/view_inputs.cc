#include "tools/tfprof/view_inputs.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/input_damage.h"
#include "link/linked_trace.h"
#include "present/words.h"
#include "read/model_files.h"
#include "read/open.h"
#include "read/xplane/hlo_graph.h"
#include "tools/tfprof/trace_model.h"

namespace stepscope {
namespace {

class Loader {
 public:
  explicit Loader(ViewInputs inputs) : inputs_(std::move(inputs)) {}

  Result<LoadedModel> Load() {
    if (!inputs_.paths.empty()) {
      if (inputs_.named()) {
        return Fail(ErrorCode::kUsage,
                    "give paths to look into, or files by name (--graph_path=…), not both", {},
                    "see stepscope view --help");
      }
      const Result<bool> found = TakePaths();
      if (!found) return std::unexpected(found.error());
      if (!*found) return OpenTrace();
    }
    if (!inputs_.named()) {
      return Fail(ErrorCode::kUsage, "there is nothing to show: no PATH and no --graph_path", {},
                  "see stepscope view --help");
    }
    if (!inputs_.profile.empty()) {
      if (!inputs_.graph.empty() || !inputs_.run_metas.empty()) {
        return Fail(ErrorCode::kUsage, "--profile_path takes the place of a graph and run_metas",
                    {}, "give either the one or the others");
      }
      if (Result<void> done = AddProfile(); !done) return std::unexpected(std::move(done.error()));
    } else if (Result<void> done = AddParts(); !done) {
      return std::unexpected(std::move(done.error()));
    }
    loaded_.model.Finish();
    for (const std::string_view name : loaded_.model.without_start()) {
      loaded_.notes.push_back(fmt::format("{} has no start time, skipping", name));
    }
    return std::move(loaded_);
  }

 private:
  // Files of a TensorFlow model among the paths; false when there are none.
  Result<bool> TakePaths() {
    Result<ModelFiles> files = FindModelFiles(inputs_.paths);
    if (!files) return std::unexpected(std::move(files.error()));
    if (files->empty() ||
        (files->run_metas.empty() && files->graph.empty() && files->profile.empty())) {
      return false;
    }
    inputs_.op_log = files->op_log;
    inputs_.checkpoint = files->checkpoint;
    // The separate files hold more than the file that tfprof made of them.
    if (files->run_metas.empty() && !files->profile.empty()) {
      inputs_.profile = files->profile;
    } else {
      inputs_.graph = files->graph;
      inputs_.run_metas = files->run_metas;
    }
    return true;
  }

  Result<LoadedModel> OpenTrace() {
    Result<std::unique_ptr<Study>> study = Study::Open(inputs_.paths, {});
    if (!study) return std::unexpected(std::move(study.error()));
    loaded_.study = std::move(*study);
    return std::move(loaded_);
  }

  Result<void> AddProfile() {
    Result<ProfileProto> profile = ReadProfileProto(inputs_.profile, diagnostics_);
    Report(inputs_.profile);
    if (!profile) return std::unexpected(std::move(profile.error()));
    loaded_.model.SetProfile(std::make_shared<const ProfileProto>(std::move(*profile)));
    return AddCheckpoint();
  }

  Result<void> AddParts() {
    if (!inputs_.graph.empty()) {
      Result<GraphDef> graph = ReadGraphDef(inputs_.graph, diagnostics_);
      Report(inputs_.graph);
      if (!graph) return std::unexpected(std::move(graph.error()));
      if (graph->nodes.empty()) {
        loaded_.notes.push_back(fmt::format(
            "stepscope view: {}: the graph has no nodes; give the file that the model was written "
            "to",
            inputs_.graph));
      }
      loaded_.model.AddGraph(std::make_shared<const GraphDef>(std::move(*graph)));
    }
    if (!inputs_.op_log.empty()) {
      Result<OpLog> log = ReadOpLog(inputs_.op_log, diagnostics_);
      Report(inputs_.op_log);
      if (!log) return std::unexpected(std::move(log.error()));
      loaded_.model.AddOpLog(std::make_shared<const OpLog>(std::move(*log)));
    }
    if (Result<void> done = AddCheckpoint(); !done) return done;
    return AddRuns();
  }

  // One step each; a file that is given several times in a row is read once.
  Result<void> AddRuns() {
    loaded_.model.ExpectSteps(inputs_.run_metas.size());
    const size_t in_graph = loaded_.model.nodes().size();
    std::shared_ptr<const RunMetadata> run;
    std::string_view read;
    int64_t step = 0;
    for (const std::string& path : inputs_.run_metas) {
      if (run == nullptr || path != read) {
        Result<RunMetadata> next = ReadRunMetadata(path, diagnostics_);
        Report(path);
        if (!next) return std::unexpected(std::move(next.error()));
        run = std::make_shared<const RunMetadata>(std::move(*next));
        read = path;
      }
      if (!loaded_.model.AddRun(step, run)) {
        loaded_.notes.push_back(fmt::format("Invalid RunMetadata for step {}", step));
      }
      ++step;
    }
    CheckBelongs(in_graph);
    return {};
  }

  // TensorFlow accepts runs of another graph silently and shows two models in one. Some nodes
  // are always new: those that placing and optimizing the graph add.
  void CheckBelongs(size_t in_graph) {
    size_t ran = 0;
    size_t known = 0;
    const std::span<const tfprof::Node> nodes = loaded_.model.nodes();
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].runs.empty()) continue;
      ++ran;
      if (i < in_graph) ++known;
    }
    if (in_graph == 0 || known * 2 >= ran) return;
    loaded_.notes.push_back(
        fmt::format("stepscope view: only {} of the {} ops that ran are in the graph: the "
                    "RunMetadata is of another model, or of another version of it; give the graph "
                    "of that run",
                    known, ran));
  }

  Result<void> AddCheckpoint() {
    if (inputs_.checkpoint.empty()) return {};
    Result<Checkpoint> checkpoint = ReadCheckpoint(inputs_.checkpoint, diagnostics_);
    Report(inputs_.checkpoint);
    if (!checkpoint) return std::unexpected(std::move(checkpoint.error()));
    std::vector<std::string> names;
    for (const Checkpoint::Variable& variable : checkpoint->variables) {
      names.push_back(variable.name);
    }
    loaded_.model.AddCheckpointVariables(names);
    loaded_.checkpoint = std::move(*checkpoint);
    return {};
  }

  // Moves what the reader found into the notes.
  void Report(const std::string& path) {
    NoteDamage(path, diagnostics_);
    for (const Diagnostics::Entry& entry : diagnostics_.entries()) {
      if (IsDamage(entry.code)) continue;
      loaded_.notes.push_back(path + ": " + InEnglish(QualitySentence(entry)));
    }
    diagnostics_ = Diagnostics();
  }

  ViewInputs inputs_;
  LoadedModel loaded_;
  Diagnostics diagnostics_;
};

}  // namespace

void LoadedModel::PrepareFor(tfprof::ViewKind kind, size_t trace_number) {
  model = ViewedTrace(study->linked(trace_number), kind);
}

tfprof::Model ViewedTrace(const LinkedTrace& linked, tfprof::ViewKind kind) {
  const Trace& trace = linked.trace;
  HloGraph hlo;
  if (kind == tfprof::ViewKind::kGraph && trace.facts.format == Format::kXPlane) {
    if (Result<HloGraph> read = ReadHloGraph(trace.path)) hlo = std::move(*read);
  }
  return tfprof::ModelOfTrace(trace, linked.links, linked.steps, hlo, kind);
}

Result<LoadedModel> LoadModel(const ViewInputs& inputs) { return Loader(inputs).Load(); }

Result<std::vector<size_t>> TracesNamed(const Profile& profile, std::string_view wanted) {
  const std::vector<Trace>& traces = profile.traces;
  const auto matching = [&](auto matches) {
    std::vector<size_t> found;
    for (size_t i = 0; i < traces.size(); ++i) {
      if (matches(traces[i])) found.push_back(i);
    }
    return found;
  };
  if (wanted.empty()) return matching([](const Trace&) { return true; });
  std::vector<size_t> found = matching([&](const Trace& trace) {
    return trace.facts.host == wanted ||
           (trace.facts.rank && std::to_string(*trace.facts.rank) == wanted);
  });
  // A number is a rank where the traces have ranks: paths are full of digits.
  const bool asks_for_rank =
      std::ranges::all_of(wanted, [](char c) { return '0' <= c && c <= '9'; }) &&
      std::ranges::any_of(traces, [](const Trace& trace) { return trace.facts.rank.has_value(); });
  if (found.empty() && !asks_for_rank) {
    found =
        matching([&](const Trace& trace) { return trace.path.find(wanted) != std::string::npos; });
  }
  if (!found.empty()) return found;
  std::vector<std::string> known;
  for (const Trace& trace : traces) known.push_back(TraceLabel(trace));
  return Fail(ErrorCode::kUsage, fmt::format("there is no trace '{}'", wanted), {},
              fmt::format("give a rank, a host or a part of a file's name; there are {}",
                          fmt::join(known, "; ")));
}

std::string TraceLabel(const Trace& trace) {
  std::string label;
  if (trace.facts.rank) label = fmt::format("rank {}", *trace.facts.rank);
  if (!trace.facts.host.empty()) {
    label += fmt::format("{}host {}", label.empty() ? "" : ", ", trace.facts.host);
  }
  return label.empty() ? trace.path : label + ": " + trace.path;
}

}  // namespace stepscope
