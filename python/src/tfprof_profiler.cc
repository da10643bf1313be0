#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "errors.h"
#include "read/protobuf/wire_writer.h"
#include "register.h"
#include "tfprof_options.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/profile_proto/profile_proto.h"
#include "tools/tfprof/tfprof_messages.h"
#include "tools/tfprof/tfprof_output.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

constexpr uint32_t kNameField = 1;  // of GraphNodeProto and MultiGraphNodeProto

FileBytes BytesOf(std::string message) {
  auto owner = std::make_shared<const std::string>(std::move(message));
  return {std::span(owner->data(), owner->size()), owner, std::nullopt};
}

// What a call gives back: text for standard output, lines for standard error, and the message that
// TensorFlow's function would return.
struct Answer {
  std::string out;
  std::vector<std::string> notes;
  std::string message;
};

// A model that grows step by step. It is put together anew when a view is asked for after something
// came in. Safe to use from several threads.
class Profiler {
 public:
  void AddGraph(const py::bytes& message) {
    std::string bytes = message;
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    if (bytes.empty() || bytes == last_graph_) return;
    last_graph_ = bytes;
    Add(Parse<GraphDef>(std::move(bytes), "the graph", ParseGraphDef));
  }
  void AddOpLog(const py::bytes& message) {
    std::string bytes = message;
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    if (bytes.empty() || bytes == last_op_log_) return;
    last_op_log_ = bytes;
    Add(Parse<OpLog>(std::move(bytes), "the op log", ParseOpLog));
  }
  // False if there are no step statistics in it.
  bool AddRun(int64_t step, const py::bytes& message) {
    std::string bytes = message;
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    auto run = Parse<RunMetadata>(std::move(bytes), "the RunMetadata", ParseRunMetadata);
    const bool holds = run->has_step_stats;
    Add(Step{step, std::move(run)});
    return holds;
  }
  void SetProfile(const py::bytes& message) {
    std::string bytes = message;
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    Add(Parse<ProfileProto>(std::move(bytes), "the profile", ParseProfileProto));
  }

  Answer Show(const std::string& view, const py::bytes& options_message) {
    const std::string message = options_message;
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    Answer answer;
    const Result<tfprof::Options> options = ParseTfprofOptions(message);
    if (!options) {
      answer.notes.push_back("INVALID_ARGUMENT: " + InEnglish(options.error().sentence));
      return answer;
    }
    const tfprof::Model& model = Built(answer.notes);
    const tfprof::ViewKind kind = *tfprof::ViewKindOf(view);
    tfprof::Shown shown =
        tfprof::Show(model, kind, *options, [](std::string_view) { return std::nullopt; });
    if (shown.fault) Throw(*shown.fault);
    answer.out = std::move(shown.out);
    for (std::string& note : shown.notes) answer.notes.push_back(std::move(note));
    if (shown.refused) {
      // An output that the view cannot give leaves TensorFlow with a bare root.
      if (tfprof::CannotShow(model, kind, *options).empty()) {
        WireWriter(answer.message).Bytes(kNameField, tfprof::kRoot);
      }
    } else if (shown.view) {
      answer.message = tfprof::EncodeView(model, *shown.view, options->step);
    }
    return answer;
  }

  Answer Advise(const std::vector<std::string>& checkers) {
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    Answer answer;
    const tfprof::Advice advice = tfprof::Advise(Built(answer.notes), checkers);
    for (const std::string& note : advice.notes) answer.notes.push_back(note);
    answer.out = tfprof::AdviceText(advice);
    answer.message = tfprof::EncodeAdvice(advice);
    return answer;
  }

  py::bytes Serialize() {
    std::string bytes;
    {
      const py::gil_scoped_release released;
      const std::scoped_lock lock(mutex_);
      std::vector<std::string> notes;
      bytes = EncodeProfileProto(Built(notes).ToProfile());
    }
    return {bytes};
  }

 private:
  struct Step {
    int64_t step;
    std::shared_ptr<const RunMetadata> run;
  };
  using Part = std::variant<std::shared_ptr<const GraphDef>, std::shared_ptr<const OpLog>, Step,
                            std::shared_ptr<const ProfileProto>>;

  [[noreturn]] static void Throw(const Error& error) {
    const py::gil_scoped_acquire acquired;
    Raise(error);
  }

  template <typename T, typename Parser>
  static std::shared_ptr<const T> Parse(std::string bytes, const std::string& what, Parser parser) {
    Diagnostics diagnostics;
    Result<T> parsed = parser(BytesOf(std::move(bytes)), what, diagnostics);
    if (!parsed) Throw(parsed.error());
    return std::make_shared<const T>(std::move(*parsed));
  }

  void Add(Part part) {
    parts_.push_back(std::move(part));
    model_.reset();
  }

  const tfprof::Model& Built(std::vector<std::string>& notes) {
    if (model_) return *model_;
    model_ = std::make_unique<tfprof::Model>();
    for (const Part& part : parts_) {
      if (const auto* graph = std::get_if<std::shared_ptr<const GraphDef>>(&part)) {
        model_->AddGraph(*graph);
      } else if (const auto* log = std::get_if<std::shared_ptr<const OpLog>>(&part)) {
        model_->AddOpLog(*log);
      } else if (const auto* step = std::get_if<Step>(&part)) {
        model_->AddRun(step->step, step->run);
      } else {
        model_->SetProfile(std::get<std::shared_ptr<const ProfileProto>>(part));
      }
    }
    model_->Finish();
    for (const std::string_view name : model_->without_start()) {
      notes.push_back(std::string(name) + " has no start time, skipping");
    }
    return *model_;
  }

  std::mutex mutex_;
  std::string last_graph_;
  std::string last_op_log_;
  std::vector<Part> parts_;  // in the order they came
  std::unique_ptr<tfprof::Model> model_;
};

py::tuple TupleOf(Answer answer) {
  return py::make_tuple(answer.out, std::move(answer.notes), py::bytes(answer.message));
}

}  // namespace

void RegisterTfprof(py::module_& module) {
  py::class_<Profiler>(module, "_TfProfiler")
      .def(py::init<>())
      .def("add_graph", &Profiler::AddGraph, py::arg("graph_def"))
      .def("add_op_log", &Profiler::AddOpLog, py::arg("op_log"))
      .def("add_run", &Profiler::AddRun, py::arg("step"), py::arg("run_metadata"))
      .def("set_profile", &Profiler::SetProfile, py::arg("profile"))
      .def(
          "show",
          [](Profiler& p, const std::string& view, const py::bytes& options) {
            return TupleOf(p.Show(view, options));
          },
          py::arg("view"), py::arg("options"))
      .def(
          "advise",
          [](Profiler& p, const std::vector<std::string>& checkers) {
            return TupleOf(p.Advise(checkers));
          },
          py::arg("checkers"))
      .def("serialize", &Profiler::Serialize);
}

}  // namespace stepscope::python
