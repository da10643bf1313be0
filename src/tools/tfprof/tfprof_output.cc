#include "tools/tfprof/tfprof_output.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "io/byte_sink.h"
#include "tools/tfprof/tfprof_pprof.h"
#include "tools/tfprof/tfprof_timeline.h"

namespace stepscope::tfprof {
namespace {

constexpr std::array<std::pair<std::string_view, ViewKind>, 4> kViews{{
    {"scope", ViewKind::kScope},
    {"graph", ViewKind::kGraph},
    {"op", ViewKind::kOp},
    {"code", ViewKind::kCode},
}};

Result<void> WriteBytes(const std::string& path, std::string_view bytes, Compression compression) {
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(path, compression);
  if (!sink) return std::unexpected(std::move(sink.error()));
  if (Result<void> written = (*sink)->Write(bytes); !written) return written;
  return (*sink)->Close();
}

class Shower {
 public:
  Shower(const Model& model, ViewKind kind, const Options& options, const TensorText& tensor_text)
      : model_(model), kind_(kind), options_(options), tensor_text_(tensor_text) {}

  Shown Run() {
    const bool framed = options_.output.type == "stdout";
    if (framed) shown_.out += OptionsFrame(options_);
    Body(options_.output.type);
    if (framed) shown_.out += EndFrame();
    return std::move(shown_);
  }

 private:
  void Body(std::string_view type) {
    if (std::string reason = CannotShow(model_, kind_, options_); !reason.empty()) {
      return Refuse(std::move(reason));
    }
    if (type == "timeline") return Timeline();
    if (type == "pprof") return Pprof();
    shown_.view = Make(options_);
    if (type != "stdout" && type != "file") return;
    const std::string text = DocText(kind_, options_, model_.misses_accelerator_stream()) +
                             ViewText(model_, *shown_.view, options_, tensor_text_);
    if (type == "stdout") {
      shown_.out += text;
    } else {
      Write(std::string(options_.output.outfile()), text, Compression::kNone);
    }
  }

  void Refuse(std::string reason) {
    shown_.notes.push_back(std::move(reason));
    shown_.refused = true;
  }

  View Make(const Options& options) {
    View view = MakeView(kind_, model_, options);
    shown_.notes.insert(shown_.notes.end(), view.notes.begin(), view.notes.end());
    if (kind_ == ViewKind::kCode && options.Selects(Column::kTensorValue)) {
      shown_.notes.emplace_back("code view has no tensor value to show");
    }
    return view;
  }

  void Timeline() {
    if (kind_ == ViewKind::kOp) {
      return Refuse("op view doesn't support timeline yet. Consider graph/scope/code view.");
    }
    if (kind_ != ViewKind::kGraph) {
      shown_.view = Make(options_);
      WriteTimeline(options_.step, TreeTimeline(*shown_.view));
      return;
    }
    std::vector<int64_t> steps{options_.step};
    if (options_.step < 0) steps.assign(model_.steps().begin(), model_.steps().end());
    for (const int64_t step : steps) {
      Options of_step = options_;
      of_step.step = step;
      View view = Make(of_step);
      const GraphTimeline timeline = StepTimeline(model_, view, step);
      shown_.out += "generating trace file.\n";
      for (const auto& [device, bytes] : timeline.peak_bytes) {
        shown_.out +=
            fmt::format("{} peak memory: {:.2f} MB\n", device, static_cast<double>(bytes) / 1e6);
      }
      if (!WriteTimeline(step, timeline.json)) return;
      if (options_.step >= 0) shown_.view = std::move(view);
    }
  }

  bool WriteTimeline(int64_t step, const std::string& json) {
    const std::string path = fmt::format("{}_{}", options_.output.outfile(), step);
    if (!Write(path, json, Compression::kNone)) return false;
    const std::string stars(54, '*');
    shown_.out += fmt::format(
        "\n{}\nTimeline file is written to {}.\nOpen a Chrome browser, enter URL "
        "chrome://tracing and load the timeline file.\n{}\n",
        stars, path, stars);
    return true;
  }

  void Pprof() {
    if (kind_ != ViewKind::kCode) {
      return Refuse("Only 'code' view supports pprof output now.");
    }
    shown_.view = Make(options_);
    const Result<std::string> profile = CodePprof(model_, *shown_.view, options_);
    if (!profile) return Refuse(InEnglish(profile.error().sentence));
    const std::string path(options_.output.outfile());
    if (!Write(path, *profile, Compression::kGzip)) return;
    shown_.out += fmt::format("\nRun pprof -png --nodecount=100 --sample_index=1 <{}>\n", path);
  }

  bool Write(const std::string& path, std::string_view bytes, Compression compression) {
    Result<void> written = WriteBytes(path, bytes, compression);
    if (!written) shown_.fault = std::move(written.error());
    return written.has_value();
  }

  const Model& model_;
  const ViewKind kind_;
  const Options& options_;
  const TensorText& tensor_text_;
  Shown shown_;
};

}  // namespace

std::optional<ViewKind> ViewKindOf(std::string_view name) {
  for (const auto& [each, kind] : kViews) {
    if (each == name) return kind;
  }
  return std::nullopt;
}

View MakeView(ViewKind kind, const Model& model, const Options& options) {
  switch (kind) {
    case ViewKind::kScope:
      return ScopeView(model, options);
    case ViewKind::kGraph:
      return GraphView(model, options);
    case ViewKind::kCode:
      return CodeView(model, options);
    case ViewKind::kOp:
      return OpView(model, options);
  }
  return {};
}

std::string CannotShow(const Model& model, ViewKind kind, const Options& options) {
  if (options.step >= 0 && !model.steps().contains(options.step)) {
    std::string available;
    for (const int64_t step : model.steps()) available += fmt::format("{} ", step);
    return fmt::format("Options -step={} not found.\nAvailable steps: {}", options.step, available);
  }
  if (kind == ViewKind::kCode && !model.has_code()) return "No code trace information";
  return {};
}

Shown Show(const Model& model, ViewKind kind, const Options& options,
           const TensorText& tensor_text) {
  return Shower(model, kind, options, tensor_text).Run();
}

std::string AdviceText(const Advice& advice) {
  std::string text;
  for (const CheckerReport& checker : advice.checkers) {
    text += fmt::format("\n{}:\n", checker.checker);
    for (const std::string& report : checker.reports) text += report + "\n";
  }
  return text;
}

}  // namespace stepscope::tfprof
