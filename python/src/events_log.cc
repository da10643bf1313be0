#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "errors.h"
#include "io/tfrecord.h"
#include "read/tfevents/eval_metrics.h"
#include "read/tfevents/log_dir.h"
#include "read/tfevents/run_log.h"
#include "register.h"
#include "watched.h"

namespace stepscope::python {
namespace py = pybind11;
namespace {

// Text that a file claims to be UTF-8.
py::str TextOf(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

py::list DamageOf(const std::vector<FileDamage>& damage) {
  py::list rows;
  for (const FileDamage& each : damage) {
    rows.append(py::make_tuple(each.file, each.offset, InEnglish(each.sentence)));
  }
  return rows;
}

// A new reference, or the exception that stands in its place.
py::object Checked(PyObject* made) {
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

// Rows that have the same tags: their texts, and the last one, which the next is made after.
struct RowsAlike {
  std::vector<py::object> texts;
  PyObject* last = nullptr;  // somebody else's
};

py::object RowOf(std::span<const double> values, RowsAlike& alike) {
  // A dict of the same size is copied, not grown.
  py::object row = Checked(alike.last != nullptr ? PyDict_Copy(alike.last) : PyDict_New());
  for (size_t i = 0; i < values.size(); ++i) {
    PyObject* const number = PyFloat_FromDouble(values[i]);
    const bool fine =
        number != nullptr && PyDict_SetItem(row.ptr(), alike.texts[i].ptr(), number) == 0;
    Py_XDECREF(number);
    if (!fine) throw py::error_already_set();
  }
  alike.last = row.ptr();
  return row;
}

// Makes all rows first and then their container; otherwise the cycle collector, which runs every
// few hundred dicts, would walk it again and again.
py::object StepsOf(const EvalMetrics& read) {
  std::vector<RowsAlike> alike(read.tag_list_limit());
  std::vector<py::object> rows;
  rows.reserve(read.steps().size());
  for (const EvalMetrics::Step& step : read.steps()) {
    RowsAlike& known = alike[step.tags];
    if (known.last == nullptr) {
      for (const StringId tag : read.TagsOf(step)) known.texts.push_back(TextOf(read.Text(tag)));
    }
    rows.push_back(RowOf(read.ValuesOf(step), known));
  }
  py::object steps = Checked(PyODict_New());
  for (size_t i = 0; i < rows.size(); ++i) {
    const py::object key = Checked(PyLong_FromLongLong(read.steps()[i].step));
    if (PyODict_SetItem(steps.ptr(), key.ptr(), rows[i].ptr()) != 0) throw py::error_already_set();
  }
  return steps;
}

// (OrderedDict of step to {tag: value}, skipped TensorFlow 2 scalars, damage)
py::tuple ReadMetrics(const std::vector<std::string>& files, bool tensors) {
  const auto metrics =
      Watched(py::none(), [&](const Watch&) -> Result<std::unique_ptr<EvalMetrics>> {
        auto made = std::make_unique<EvalMetrics>(tensors ? EvalMetrics::Tensors::kJoin
                                                          : EvalMetrics::Tensors::kSkip);
        for (const std::string& file : files) {
          if (Result<void> added = made->AddFile(file); !added) {
            return std::unexpected(std::move(added.error()));
          }
        }
        made->Finish();
        return made;
      });
  if (!metrics) Raise(metrics.error());
  const EvalMetrics& read = **metrics;
  return py::make_tuple(StepsOf(read), read.skipped_tensors(), DamageOf(read.damage()));
}

// One column of a series as bytes of its numbers.
template <typename T, typename Member>
py::bytes ColumnOf(const std::vector<ScalarPoint>& points, Member member) {
  std::string bytes(points.size() * sizeof(T), '\0');
  for (size_t i = 0; i < points.size(); ++i) {
    const T value = points[i].*member;
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return {bytes};
}

py::dict RunOf(const RunLog& run) {
  py::list scalars;
  py::list others;
  for (const TagSeries& series : run.tags) {
    if (series.kind == TagKind::kScalar) {
      scalars.append(py::make_tuple(TextOf(series.tag),
                                    ColumnOf<int64_t>(series.scalars, &ScalarPoint::step),
                                    ColumnOf<double>(series.scalars, &ScalarPoint::wall_time),
                                    ColumnOf<double>(series.scalars, &ScalarPoint::value)));
    } else {
      others.append(
          py::make_tuple(TextOf(series.tag), std::string(NameOf(series.kind)), series.count));
    }
  }
  py::dict made;
  made["name"] = TextOf(run.name);
  made["scalars"] = std::move(scalars);
  made["others"] = std::move(others);
  made["damage"] = DamageOf(run.damage);
  return made;
}

py::list ReadLog(const std::vector<std::string>& paths, const std::string& tag_pattern,
                 bool restarted, unsigned threads, const py::object& progress) {
  const RE2 tag(tag_pattern, RE2::Quiet);
  if (!tag.ok()) {
    Raise(Error{
        ErrorCode::kUsage, "tag is not a valid regular expression: " + tag.error(), {}, {}, {}});
  }
  ReadRunOptions options;
  options.points = ReadRunOptions::Points::kScalars;
  if (restarted) options.restarts = ReadRunOptions::Restarts::kKeep;
  if (!tag_pattern.empty()) {
    options.wanted = [&](std::string_view text) {
      return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), tag);
    };
  }
  const auto logs = Watched(progress, [&](const Watch&) -> Result<std::vector<RunLog>> {
    const Result<std::vector<EventRun>> runs = FindEventRuns(paths);
    if (!runs) return std::unexpected(runs.error());
    std::vector<RunLog> read(runs->size());
    TaskPool pool(threads);
    pool.ForEach(runs->size(),
                 [&](size_t i) { read[i] = ReadRun((*runs)[i].name, (*runs)[i].files, options); });
    return read;
  });
  if (!logs) Raise(logs.error());
  py::list runs;
  for (const RunLog& log : *logs) runs.append(RunOf(log));
  return runs;
}

// The records of a file one after the other, as bytes.
class Records {
 public:
  explicit Records(const std::string& path)
      : path_(path), file_(Unwrap(OpenRecordFile(path))), stream_(*file_.bytes) {}

  py::bytes Next() {
    const std::scoped_lock lock(mutex_);
    for (;;) {
      switch (stream_.Next()) {
        case RecordStream::Outcome::kRecord:
          return {stream_.data().data(), stream_.data().size()};
        case RecordStream::Outcome::kDamage:
          damage_.push_back({path_, stream_.damage().offset, SentenceOf(stream_.damage().kind)});
          break;
        case RecordStream::Outcome::kEnd:
          throw py::stop_iteration();
      }
    }
  }
  py::list damage() const { return DamageOf(damage_); }

 private:
  const std::string path_;
  RecordFile file_;
  RecordStream stream_;
  std::vector<FileDamage> damage_;
  std::mutex mutex_;
};

}  // namespace

void RegisterEvents(py::module_& module) {
  module.def("_read_eval_metrics", &ReadMetrics, py::arg("files"), py::arg("tensors"));
  module.def("_read_events", &ReadLog, py::arg("paths"), py::arg("tag"), py::arg("restarted"),
             py::arg("threads"), py::arg("progress"));
  py::class_<Records>(module, "_Records")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &Records::Next)
      .def_property_readonly("damage", &Records::damage);
}

}  // namespace stepscope::python
