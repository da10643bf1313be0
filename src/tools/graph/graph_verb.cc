#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>

#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "io/input_damage.h"
#include "present/unicode.h"
#include "present/words.h"
#include "read/model_files.h"
#include "tools/graph/graph_path.h"
#include "tools/graph/graph_summary.h"
#include "tools/graph/graph_text.h"
#include "tools/graph/onnx/onnx_model.h"
#include "tools/tfprof/op_log/op_log.h"
#include "words/graph.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts, kGraphTexts> Say;

constexpr std::string_view kCommands[] = {"summary", "variables", "shapes", "path", "dot", "json"};

struct GraphRequest {
  std::vector<std::string> words;  // command, its arguments, paths
  std::string command = "summary";
  std::vector<std::string> arguments;  // of shapes and path
  std::vector<std::string> paths;
  std::string freeze;
  std::string place;
  std::string run_meta;
  std::string op_log;
  bool infer = false;  // as if the graph had no _output_shapes
  OutputOptions style;
};

std::vector<std::string> Split(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    if (!item.empty()) items.emplace_back(item);
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
  return items;
}

OptionParser MakeParser(GraphRequest& request) {
  OptionParser parser("graph", "[variables | shapes REGEX | path A B | dot | json] PATH...",
                      Say("graph.about"));
  parser.Text("--freeze", "REGEX", Say("graph.freeze"), &request.freeze);
  parser.Text("--place", "DEV,DEV", Say("graph.place"), &request.place);
  parser.Text("--run-meta", "F,F", Say("graph.run-meta"), &request.run_meta);
  parser.Text("--op-log", "F", Say("graph.op-log"), &request.op_log);
  parser.Flag("--infer", Say("graph.infer"), &request.infer);
  AddOutputOptions(parser, &request.style);
  parser.Positionals("PATH", &request.words, 1);
  parser.Example("stepscope graph model/graph.pb", Say("graph.example"));
  parser.Example("stepscope graph variables model/ --freeze 'net/stem/.*'",
                 Say("graph.example-freeze"));
  parser.Example("stepscope graph variables model.meta --place gpu:0,gpu:1",
                 Say("graph.example-place"));
  parser.Example("stepscope graph shapes '.*/Conv2D' graph.pb", Say("graph.example-shapes"));
  return parser;
}

Result<void> TakeWords(GraphRequest& request) {
  size_t at = 0;
  if (std::find(std::begin(kCommands), std::end(kCommands), request.words[0]) !=
      std::end(kCommands)) {
    request.command = request.words[0];
    at = 1;
  }
  const size_t wanted = request.command == "shapes" ? 1 : request.command == "path" ? 2 : 0;
  if (request.words.size() < at + wanted + 1) {
    return Fail(ErrorCode::kUsage,
                Say("graph.needs", request.command,
                    wanted == 0   ? Say("graph.no-argument")
                    : wanted == 1 ? Say("graph.a-regex")
                                  : Say("graph.two-names")),
                {}, Say("graph.see-help"));
  }
  const auto first = request.words.begin() + static_cast<ptrdiff_t>(at);
  request.arguments.assign(first, first + static_cast<ptrdiff_t>(wanted));
  request.paths.assign(first + static_cast<ptrdiff_t>(wanted), request.words.end());
  return {};
}

Result<std::unique_ptr<re2::RE2>> Compile(const std::string& pattern) {
  re2::RE2::Options quiet;
  quiet.set_log_errors(false);
  auto regex = std::make_unique<re2::RE2>(pattern, quiet);
  if (!regex->ok()) {
    return Fail(ErrorCode::kUsage, Say("graph.no-regex", pattern, regex->error()), {},
                Say("graph.re2"));
  }
  return regex;
}

// The graph and what goes with it.
struct Loaded {
  std::shared_ptr<const GraphDef> graph;
  std::vector<RunMetadata> runs;
  std::vector<std::string_view> trainable;
  std::shared_ptr<const OpLog> op_log;
  std::unique_ptr<tfprof::Model> profile;
};

class Loader {
 public:
  explicit Loader(const GraphRequest& request) : request_(request) {}

  Result<Loaded> Load() {
    Result<ModelFiles> files = FindModelFiles(request_.paths);
    if (!files) return std::unexpected(std::move(files.error()));
    if (!request_.op_log.empty()) files->op_log = request_.op_log;
    if (!request_.run_meta.empty()) files->run_metas = Split(request_.run_meta);
    if (Result<void> read = ReadGraph(*files); !read) {
      return std::unexpected(std::move(read.error()));
    }
    if (Result<void> read = ReadOpLogOf(*files); !read) {
      return std::unexpected(std::move(read.error()));
    }
    if (Result<void> read = ReadRuns(*files); !read) {
      return std::unexpected(std::move(read.error()));
    }
    return std::move(loaded_);
  }

 private:
  Result<void> ReadGraph(const ModelFiles& files) {
    if (files.graph.empty() && files.onnx.empty()) {
      return Fail(ErrorCode::kCannotRead, Say("graph.none-here"), request_.paths.front(),
                  Say("graph.give"));
    }
    Result<GraphDef> graph = files.graph.empty() ? ReadOnnxModel(files.onnx, diagnostics_)
                                                 : ReadGraphDef(files.graph, diagnostics_);
    TellFaults(files.graph.empty() ? files.onnx : files.graph);
    if (!graph) return std::unexpected(std::move(graph.error()));
    loaded_.graph = std::make_shared<const GraphDef>(std::move(*graph));
    return {};
  }

  Result<void> ReadOpLogOf(const ModelFiles& files) {
    if (files.op_log.empty()) return {};
    Result<OpLog> log = ReadOpLog(files.op_log, diagnostics_);
    TellFaults(files.op_log);
    if (!log) return std::unexpected(std::move(log.error()));
    loaded_.op_log = std::make_shared<const OpLog>(std::move(*log));
    for (const OpLog::Entry& entry : loaded_.op_log->entries) {
      if (std::find(entry.types.begin(), entry.types.end(), "_trainable_variables") !=
          entry.types.end()) {
        loaded_.trainable.push_back(entry.name);
      }
    }
    return {};
  }

  Result<void> ReadRuns(const ModelFiles& files) {
    if (files.run_metas.empty()) return {};
    loaded_.profile = std::make_unique<tfprof::Model>();
    loaded_.profile->AddGraph(loaded_.graph);
    int64_t step = 0;
    for (const std::string& path : files.run_metas) {
      Result<RunMetadata> run = ReadRunMetadata(path, diagnostics_);
      TellFaults(path);
      if (!run) return std::unexpected(std::move(run.error()));
      loaded_.runs.push_back(*run);
      loaded_.profile->AddRun(step++, std::make_shared<const RunMetadata>(std::move(*run)));
    }
    loaded_.profile->Finish();
    return {};
  }

  void TellFaults(const std::string& path) {
    NoteDamage(path, diagnostics_);
    for (const Diagnostics::Entry& entry : diagnostics_.entries()) {
      if (IsDamage(entry.code)) continue;
      PrintNote("graph", Say("graph.note", path, QualitySentence(entry)));
    }
    diagnostics_ = Diagnostics();
  }

  const GraphRequest& request_;
  Loaded loaded_;
  Diagnostics diagnostics_;
};

class Command {
 public:
  Command(const GraphRequest& request, const Loaded& loaded)
      : request_(request),
        loaded_(loaded),
        graph_(*loaded.graph),
        shapes_(InferShapes(
            graph_, {!request.infer, loaded.runs.empty() ? nullptr : &loaded.runs.front()})),
        variables_(FindVariables(graph_, loaded.trainable)),
        style_(StyleFor(request.style)) {}

  Result<std::string> Run() const {
    if (request_.command == "variables") return ShowVariables();
    if (request_.command == "shapes") return ShowShapes();
    if (request_.command == "path") return ShowPath();
    if (request_.command == "dot") return GraphDot(graph_, shapes_);
    const auto flops = CountFlops(graph_, shapes_);
    if (request_.command == "json") return ShapesJson(graph_, shapes_, flops, AllNodes());
    const GraphSummary summary = SummarizeGraph(graph_, shapes_, variables_, flops);
    return request_.style.json ? GraphSummaryJson(summary) : GraphSummaryText(summary, style_);
  }

 private:
  std::vector<uint32_t> AllNodes() const {
    std::vector<uint32_t> nodes(graph_.size());
    for (uint32_t i = 0; i < graph_.size(); ++i) nodes[i] = i;
    return nodes;
  }

  Result<std::string> ShowVariables() const {
    std::optional<FreezeEffect> effect;
    FreezeCost cost;
    if (!request_.freeze.empty()) {
      Result<std::unique_ptr<re2::RE2>> regex = Compile(request_.freeze);
      if (!regex) return std::unexpected(std::move(regex.error()));
      effect = Freeze(graph_, variables_, [&](std::string_view name) {
        return re2::RE2::FullMatch(re2::StringPiece(name.data(), name.size()), **regex);
      });
      std::vector<uint32_t> nodes = effect->gradient_nodes;
      nodes.insert(nodes.end(), effect->update_nodes.begin(), effect->update_nodes.end());
      cost = CostOf(graph_, nodes, loaded_.profile.get());
    }
    std::optional<Placement> placement;
    if (!request_.place.empty()) {
      placement = PlaceVariables(graph_, variables_, Split(request_.place));
      if (placement->devices.empty()) {
        return Fail(ErrorCode::kUsage, Say("graph.needs-devices"), {}, Say("graph.devices-like"));
      }
    }
    if (request_.style.json) {
      return VariablesJson(graph_, variables_, effect ? &*effect : nullptr, &cost,
                           placement ? &*placement : nullptr);
    }
    if (effect) return FreezeText(variables_, *effect, cost, style_);
    if (placement) {
      return PlacementText(graph_, variables_, *placement, CopiesOf(loaded_.runs), style_);
    }
    return VariablesText(variables_, style_);
  }

  Result<std::string> ShowShapes() const {
    Result<std::unique_ptr<re2::RE2>> regex = Compile(request_.arguments[0]);
    if (!regex) return std::unexpected(std::move(regex.error()));
    std::vector<uint32_t> nodes;
    for (uint32_t i = 0; i < graph_.size(); ++i) {
      const std::string_view name = graph_.node(i).name;
      if (re2::RE2::FullMatch(re2::StringPiece(name.data(), name.size()), **regex)) {
        nodes.push_back(i);
      }
    }
    if (request_.style.json) return ShapesJson(graph_, shapes_, CountFlops(graph_, shapes_), nodes);
    return ShapesText(graph_, shapes_, nodes, style_);
  }

  Result<std::string> ShowPath() const {
    uint32_t ends[2];
    for (size_t i = 0; i < 2; ++i) {
      ends[i] = graph_.Find(request_.arguments[i]);
      if (ends[i] == graph_.size()) {
        return Fail(ErrorCode::kUsage, Say("graph.no-node", request_.arguments[i]), {},
                    Say("graph.look-for"));
      }
    }
    std::vector<uint32_t> path = ShortestPath(graph_, ends[0], ends[1]);
    if (path.empty()) path = ShortestPath(graph_, ends[1], ends[0]);
    if (path.empty()) {
      return style_.Say(Say("graph.no-path", request_.arguments[0], request_.arguments[1])) + "\n";
    }
    if (request_.style.json) return ShapesJson(graph_, shapes_, CountFlops(graph_, shapes_), path);
    return ShapesText(graph_, shapes_, path, style_);
  }

  const GraphRequest& request_;
  const Loaded& loaded_;
  const GraphIndex graph_;
  const std::vector<NodeShapes> shapes_;
  const Variables variables_;
  const Style style_;
};

}  // namespace

int RunGraph(std::span<char*> arguments) {
  GraphRequest request;
  const OptionParser parser = MakeParser(request);
  if (const auto ended = ParseOrHelp("graph", parser, arguments)) return *ended;
  if (Result<void> taken = TakeWords(request); !taken) return PrintError("graph", taken.error());
  Result<Loaded> loaded = Loader(request).Load();
  if (!loaded) return PrintError("graph", loaded.error());
  const Result<std::string> text = Command(request, *loaded).Run();
  return ExitCodeAfter("graph", text);
}

}  // namespace stepscope
