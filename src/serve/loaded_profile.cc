#include "serve/loaded_profile.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyze/report.h"
#include "base/memory.h"
#include "diff/open_side.h"
#include "present/json_writer.h"
#include "present/report_json.h"
#include "ranks/jobs.h"
#include "read/graph_def/graph_def.h"
#include "study/reported.h"

namespace stepscope {
namespace {

// Traces of one job start at different moments; if all say when, they share one clock.
std::vector<int64_t> OffsetsOf(const std::vector<Trace>& traces) {
  std::vector<int64_t> offsets(traces.size(), 0);
  std::optional<int64_t> earliest;
  for (const Trace& trace : traces) {
    if (!trace.facts.start_unix_ns) return offsets;
    earliest = std::min(earliest.value_or(*trace.facts.start_unix_ns), *trace.facts.start_unix_ns);
  }
  // Traces of different days do not belong on one axis.
  constexpr int64_t kMostApart = int64_t{3600} * 1'000'000'000;
  std::vector<int64_t> apart;
  for (const Trace& trace : traces) apart.push_back(*trace.facts.start_unix_ns - *earliest);
  const bool together = std::ranges::all_of(apart, [](int64_t ns) { return ns < kMostApart; });
  return together ? apart : offsets;
}

template <typename T>
size_t BytesOf(const std::vector<T>& column) {
  return column.capacity() * sizeof(T);
}

size_t BytesOf(const Trace& trace) {
  const Slices& slices = trace.slices;
  size_t strings = 0;
  for (uint32_t id = 0; id < trace.strings.size(); ++id) {
    strings += trace.strings[StringId{id}].size() + 2 * sizeof(std::string_view);
  }
  return strings + BytesOf(slices.start) + BytesOf(slices.duration) + BytesOf(slices.name) +
         BytesOf(slices.parent) + BytesOf(slices.args) + BytesOf(slices.event) +
         BytesOf(slices.depth) + BytesOf(slices.kind) + BytesOf(slices.flags) +
         BytesOf(trace.op_args) + BytesOf(trace.call_args) + trace.device_args.Bytes() +
         BytesOf(trace.collectives) + BytesOf(trace.frame_args) + BytesOf(trace.flows) +
         BytesOf(trace.instants) + BytesOf(trace.counters) + BytesOf(trace.allocations) +
         BytesOf(trace.traits);
}

}  // namespace

size_t LoadedProfile::ProfileBytes() const {
  size_t bytes = 0;
  for (const auto& loaded : traces_) {
    bytes += BytesOf(loaded->trace()) + BytesOf(loaded->linked());
  }
  return bytes;
}

size_t LoadedProfile::Bytes() const {
  size_t bytes = ProfileBytes() + report_json_.size();
  for (const auto& loaded : traces_) bytes += loaded->PageBytes();
  return bytes;
}

size_t LoadedTrace::PageBytes() const {
  size_t gaps = 0;
  for (const IdleGaps& of_device : report_.idle_gaps) gaps += of_device.Bytes();
  return gaps + timeline_bytes_;
}

LoadedTrace::LoadedTrace(Study& study, size_t trace)
    : study_(study),
      index_(trace),
      linked_(study.linked(trace)),
      report_(study.report(trace)),
      events_(study, trace) {}

const OpGraph* LoadedTrace::graph() const {
  std::call_once(graph_made_, [this] {
    const GraphDef& graph = study_.graph(index_);
    if (!graph.nodes.empty()) graph_ = BuildOpGraph(graph, trace());
  });
  return graph_.nodes.empty() ? nullptr : &graph_;
}

const CriticalPath& LoadedTrace::critical_path() const {
  std::call_once(path_made_,
                 [this] { path_ = AnalyzeCriticalPath(linked_, report_.verdict.step); });
  return path_;
}

const Timeline& LoadedTrace::timeline() const {
  std::call_once(timeline_made_, [this] {
    TaskPool pool;
    timeline_ = std::make_unique<const Timeline>(trace(), report_.idle_gaps, pool);
    line_of_.assign(trace().tracks.size(), kNoRow);
    for (uint32_t i = 0; i < timeline_->lines().size(); ++i) {
      const Line& line = timeline_->lines()[i];
      if (line.kind == LineKind::kTrack) line_of_[Index(line.track)] = i;
    }
    timeline_bytes_ = timeline_->Bytes();
    // Gives the memory that reading and analysing used back to the system, because the server may
    // run for days.
    ReturnFreeMemory();
  });
  return *timeline_;
}

Result<std::shared_ptr<const SearchHits>> LoadedTrace::Search(const std::string& wanted,
                                                              SearchMode mode) const {
  const std::string key = (mode == SearchMode::kRegex ? "r" : "t") + wanted;
  {
    std::lock_guard lock(mutex_);
    if (hits_ != nullptr && searched_ == key) return hits_;
  }
  Result<SearchHits> found = SearchNames(trace(), wanted, mode);
  if (!found) return std::unexpected(found.error());
  auto hits = std::make_shared<const SearchHits>(std::move(*found));
  std::lock_guard lock(mutex_);
  searched_ = key;
  hits_ = hits;
  return hits;
}

void LoadedTrace::Prepare(const std::stop_token& stop) const {
  timeline();
  events_.Prepare(stop);
}

Result<std::shared_ptr<const LoadedProfile>> LoadedProfile::Load(
    const std::vector<std::string>& paths, StudyOptions options) {
  const Progress progress = options.progress;
  const std::stop_token stop = options.stop;
  Result<std::unique_ptr<Study>> study = Study::Open(paths, std::move(options));
  if (!study) return std::unexpected(std::move(study.error()));
  progress(1, "analysing");
  auto loaded = std::make_shared<LoadedProfile>();
  loaded->study_ = std::move(*study);
  if (Result<void> made = loaded->study_->Prepare(stop); !made) {
    return std::unexpected(std::move(made.error()));
  }
  WriteReportsJson(loaded->study_->reported(), loaded->jobs(), Language::kEnglish,
                   loaded->report_json_);
  for (size_t i = 0; i < loaded->study_->size(); ++i) {
    loaded->traces_.push_back(std::make_unique<LoadedTrace>(*loaded->study_, i));
  }
  const bool has_graph = loaded->traces_.front()->graph() != nullptr;
  const std::vector<Reported> reported = loaded->study_->reported();
  loaded->about_ = {AboutJson(reported, has_graph, Language::kEnglish),
                    AboutJson(reported, has_graph, Language::kChinese)};
  loaded->tables_ = std::make_unique<const query::QueryTables>(*loaded->study_);
  loaded->offsets_ = OffsetsOf(loaded->study_->profile().traces);
  return loaded;
}

const std::string& LoadedProfile::report_json(Language language) const {
  if (language == Language::kEnglish) return report_json_;
  std::call_once(chinese_made_,
                 [&] { WriteReportsJson(study_->reported(), jobs(), language, chinese_json_); });
  return chinese_json_;
}

const JobsReport* LoadedProfile::jobs() const {
  return study_->size() > 1 ? &study_->jobs() : nullptr;
}

const std::vector<diff::Run>& LoadedProfile::runs() const {
  std::call_once(runs_made_, [&] { runs_ = diff::RunsOf(*study_); });
  return runs_;
}

}  // namespace stepscope
