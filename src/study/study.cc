#include "study/study.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "advise/advise.h"
#include "advise/evidence.h"
#include "advise/given.h"
#include "advise/rank_collectives.h"
#include "analyze/report.h"
#include "base/task_pool.h"
#include "io/input_damage.h"
#include "link/linked_trace.h"
#include "ranks/digest_trace.h"
#include "ranks/jobs.h"
#include "read/execution_trace/join.h"
#include "read/graph_def/graph_def.h"
#include "read/open.h"
#include "study/model_graph.h"
#include "study/once.h"
#include "study/reported.h"

namespace stepscope {
namespace {

// Gives paths the names that people know them by.
class Renaming {
 public:
  Renaming(const std::vector<std::string>& paths, const std::vector<std::string>& names)
      : paths_(paths), names_(names) {}

  void Rename(std::string& path) const {
    const auto at = std::ranges::find(paths_, path);
    const auto place = static_cast<size_t>(at - paths_.begin());
    if (place < names_.size()) path = names_[place];
  }

 private:
  const std::vector<std::string>& paths_;
  const std::vector<std::string>& names_;
};

}  // namespace

struct Study::Parts {
  struct OfTrace {
    std::vector<std::string> files;  // to be read from: its own, then the others
    Once<LinkedTrace> linked = {};
    Once<Report> report = {};
    Once<GraphDef> graph = {};
    ExecutionRows execution = {};
  };
  std::deque<OfTrace> traces;
  Once<std::vector<Advice>> advice;
  Once<JobsReport> jobs;
};

Result<std::unique_ptr<Study>> Study::Open(std::vector<std::string> paths, StudyOptions options) {
  TaskPool pool(options.threads);
  std::vector<std::string> graphs, executions;
  Result<Profile> profile = OpenProfile(paths,
                                        {.run = options.run,
                                         .progress = options.progress,
                                         .stop = options.stop,
                                         .graphs = &graphs,
                                         .executions = &executions,
                                         .ask = options.ask},
                                        pool);
  if (!profile) {
    Renaming(paths, options.names).Rename(profile.error().file);
    return std::unexpected(std::move(profile.error()));
  }
  std::vector<ExecutionRows> joined = JoinExecutionTraces(executions, *profile);
  return std::unique_ptr<Study>(new Study(std::move(*profile), std::move(graphs), std::move(joined),
                                          std::move(paths), std::move(options)));
}

Study::Study(Profile profile, std::vector<std::string> graphs,
             std::vector<ExecutionRows> executions, std::vector<std::string> paths,
             StudyOptions options)
    : profile_(std::move(profile)),
      graphs_(std::move(graphs)),
      read_paths_(std::move(paths)),
      report_options_(std::move(options.report)),
      settings_(std::move(options.settings)),
      threads_(options.threads),
      parts_(std::make_unique<Parts>()) {
  for (size_t i = 0; i < profile_.diagnostics.size(); ++i) {
    NoteDamage(profile_.traces[i].path, profile_.diagnostics[i]);
  }
  const Renaming renaming(read_paths_, options.names);
  for (size_t i = 0; i < profile_.traces.size(); ++i) {
    Trace& trace = profile_.traces[i];
    std::vector<std::string>& files = parts_->traces.emplace_back().files;
    parts_->traces.back().execution = std::move(executions[i]);
    files.push_back(trace.path);
    files.insert(files.end(), trace.other_paths.begin(), trace.other_paths.end());
    renaming.Rename(trace.path);
    for (std::string& other : trace.other_paths) renaming.Rename(other);
  }
  for (std::string& path : profile_.paths) renaming.Rename(path);
}

Study::~Study() = default;

const std::string& Study::ReadPathOf(size_t trace) const {
  return parts_->traces[trace].files.front();
}

const ExecutionRows& Study::execution(size_t trace) const {
  return parts_->traces[trace].execution;
}

std::vector<std::string> Study::FilesRead() const {
  std::vector<std::string> files = graphs_;
  files.insert(files.end(), read_paths_.begin(), read_paths_.end());
  for (const Parts::OfTrace& trace : parts_->traces) {
    files.insert(files.end(), trace.files.begin(), trace.files.end());
  }
  return files;
}

const LinkedTrace& Study::linked(size_t trace) {
  return *parts_->traces[trace].linked.Get([&]() -> std::optional<LinkedTrace> {
    TaskPool pool(threads_);
    return LinkTrace(profile_.traces[trace], report_options_.steps, pool);
  });
}

const Report& Study::report(size_t trace) { return *MadeReport(trace, {}); }

const Report* Study::MadeReport(size_t trace, const std::stop_token& stop) {
  return parts_->traces[trace].report.Get([&]() -> std::optional<Report> {
    const LinkedTrace& from = linked(trace);
    TaskPool pool(threads_);
    return Analyze(from, profile_.diagnostics[trace], report_options_, pool, stop);
  });
}

const GraphDef& Study::graph(size_t trace) {
  Parts::OfTrace& part = parts_->traces[trace];
  return *part.graph.Get([&]() -> std::optional<GraphDef> {
    return ReadModelGraph(profile_.traces[trace].facts.format, part.files, graphs_);
  });
}

const std::vector<Advice>& Study::advice() { return *MadeAdvice({}); }

const std::vector<Advice>* Study::MadeAdvice(const std::stop_token& stop) {
  return parts_->advice.Get([&]() -> std::optional<std::vector<Advice>> {
    std::vector<Advice> advice =
        AdviseEach({.only = {}, .ignored = settings_.ignored}, Given{}, stop);
    if (advice.size() < size()) return std::nullopt;
    return advice;
  });
}

std::vector<Advice> Study::Advise(const AdviseOptions& options, const Given& given) {
  return AdviseEach(options, given, {});
}

// By trace: all ranks of its job, or none.
std::vector<std::vector<const LinkedTrace*>> Study::RanksOfEach() {
  std::vector<RankDigest> facts;
  for (size_t t = 0; t < size(); ++t) facts.push_back(FactsOf(trace(t)));
  std::vector<std::vector<const LinkedTrace*>> ranks(size());
  for (const JobFiles& job : GroupJobs(facts)) {
    std::vector<const LinkedTrace*> members;
    for (const size_t member : job.members) members.push_back(&linked(member));
    for (const size_t member : job.members) ranks[member] = members;
  }
  return ranks;
}

// Stops between traces. Ranks of one job see each other.
std::vector<Advice> Study::AdviseEach(const AdviseOptions& options, const Given& given,
                                      const std::stop_token& stop) {
  const std::vector<std::vector<const LinkedTrace*>> ranks = RanksOfEach();
  std::map<const LinkedTrace*, RankCollectives> collectives;
  for (const std::vector<const LinkedTrace*>& job : ranks) {
    for (const LinkedTrace* rank : job) {
      if (!collectives.contains(rank)) collectives.emplace(rank, CollectivesOfRank(*rank));
    }
  }
  std::vector<Advice> advice;
  for (size_t t = 0; t < size(); ++t) {
    const Report* const report = MadeReport(t, stop);
    if (report == nullptr || stop.stop_requested()) break;
    TaskPool pool(threads_);
    Evidence evidence(linked(t), *report, settings_.limits, pool);
    for (const LinkedTrace* rank : ranks[t]) {
      if (rank == &linked(t)) evidence.own_rank = evidence.ranks.size();
      evidence.ranks.push_back(&collectives.at(rank));
    }
    evidence.Use(given);
    const bool has_graph = trace(t).facts.format == Format::kRunMetadata;
    if (evidence.graph == nullptr && has_graph && !graph(t).nodes.empty()) {
      evidence.graph = &graph(t);
    }
    advice.push_back(stepscope::Advise(evidence, options, pool));
  }
  return advice;
}

const JobsReport& Study::jobs() {
  return *parts_->jobs.Get([&]() -> std::optional<JobsReport> {
    std::vector<RankDigest> digests;
    for (size_t t = 0; t < size(); ++t) digests.push_back(DigestOf(linked(t), report(t)));
    return AnalyzeJobs(std::move(digests));
  });
}

std::vector<Reported> Study::reported() { return ReportedWith(advice()); }

std::vector<Reported> Study::ReportedWith(std::span<const Advice> advice) {
  std::vector<Reported> all;
  for (size_t t = 0; t < size(); ++t) all.push_back({&linked(t), &report(t), &advice[t]});
  return all;
}

Result<void> Study::Prepare(const std::stop_token& stop) {
  for (size_t t = 0; t < size() && !stop.stop_requested(); ++t) MadeReport(t, stop);
  if (stop.stop_requested() || MadeAdvice(stop) == nullptr) {
    return std::unexpected(Interrupted(profile_.paths.front()));
  }
  return {};
}

}  // namespace stepscope
