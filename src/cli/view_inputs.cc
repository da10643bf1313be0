#include "cli/view_inputs.h"

#include <fmt/core.h>

namespace stepscope {
namespace {

class Loader {
 public:
  explicit Loader(const ViewInputs& inputs) : inputs_(inputs) {}

  Result<LoadedModel> Load() {
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
      loaded_.model.AddGraph(std::make_shared<const GraphDef>(std::move(*graph)));
    }
    if (!inputs_.op_log.empty()) {
      Result<OpLog> log = ReadOpLog(inputs_.op_log, diagnostics_);
      Report(inputs_.op_log);
      if (!log) return std::unexpected(std::move(log.error()));
      loaded_.model.AddOpLog(std::make_shared<const OpLog>(std::move(*log)));
    }
    if (Result<void> done = AddCheckpoint(); !done) return done;
    int64_t step = 0;
    for (const std::string& path : inputs_.run_metas) {
      Result<RunMetadata> run = ReadRunMetadata(path, diagnostics_);
      Report(path);
      if (!run) return std::unexpected(std::move(run.error()));
      if (!loaded_.model.AddRun(step, std::make_shared<const RunMetadata>(std::move(*run)))) {
        loaded_.notes.push_back(fmt::format("Invalid RunMetadata for step {}", step));
      }
      ++step;
    }
    return {};
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
    for (const Diagnostics::Entry& entry : diagnostics_.entries()) {
      std::string sentence(entry.sentence.empty() ? SentenceOf(entry.code) : entry.sentence);
      if (const size_t at = sentence.find("{}"); at != std::string::npos) {
        sentence.replace(at, 2, std::to_string(entry.count));
      }
      loaded_.notes.push_back(path + ": " + sentence);
    }
    diagnostics_ = Diagnostics();
  }

  const ViewInputs& inputs_;
  LoadedModel loaded_;
  Diagnostics diagnostics_;
};

}  // namespace

Result<LoadedModel> LoadModel(const ViewInputs& inputs) { return Loader(inputs).Load(); }

}  // namespace stepscope
