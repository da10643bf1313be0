#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "analyze/explore/op_graph.h"
#include "analyze/explore/search.h"
#include "analyze/timeline_tiles/timeline.h"
#include "analyze/whatif/step_path.h"
#include "diff/run.h"
#include "link/linked_trace.h"
#include "query/query_tables.h"
#include "query/stored_events.h"
#include "serve/profile_about.h"
#include "study/study.h"

namespace stepscope {

struct Report;

// Everything the page asks about one trace. Immutable but for the last search, which is kept; safe
// to read from many threads.
class LoadedTrace {
 public:
  LoadedTrace(Study& study, size_t trace);

  const Trace& trace() const { return linked_.trace; }
  const LinkedTrace& linked() const { return linked_; }
  const Report& report() const { return report_; }
  // Made when first asked for, which takes about a tenth of the time of reading; others wait.
  const Timeline& timeline() const;
  // The model's graph with what its ops cost, where a file of the profile holds it, else null. Made
  // when first asked for.
  const OpGraph* graph() const;
  // Of the step that the verdict is about. Made when first asked for.
  const CriticalPath& critical_path() const;
  // The line of a track, or kNoRow.
  uint32_t LineOf(TrackId track) const {
    timeline();
    return line_of_[Index(track)];
  }

  // Hits of a search; the answer to the last question is kept, so that "next" is quick.
  Result<std::shared_ptr<const SearchHits>> Search(const std::string& wanted,
                                                   SearchMode mode) const;
  // One event as strict JSON, read again from the file.
  Result<std::string> EventJson(uint32_t event) const { return events_.Json(event); }
  // Makes the timeline, and EventJson quick for compressed files.
  void Prepare(const std::stop_token& stop) const;
  // Of what only the page needs and the report keeps for it.
  size_t PageBytes() const;

 private:
  Study& study_;
  const size_t index_;  // in the study
  const LinkedTrace& linked_;
  const Report& report_;
  mutable std::once_flag timeline_made_, graph_made_, path_made_;
  mutable CriticalPath path_;
  mutable std::atomic<size_t> timeline_bytes_ = 0;
  mutable std::unique_ptr<const Timeline> timeline_;
  mutable OpGraph graph_;
  mutable std::vector<uint32_t> line_of_;  // by track
  const StoredEvents events_;
  mutable std::mutex mutex_;
  mutable std::string searched_;
  mutable std::shared_ptr<const SearchHits> hits_;
};

// A profile with its analyses, ready to be shown.
class LoadedProfile {
 public:
  static Result<std::shared_ptr<const LoadedProfile>> Load(const std::vector<std::string>& paths,
                                                           StudyOptions options);

  const std::vector<std::unique_ptr<LoadedTrace>>& traces() const { return traces_; }
  // Bytes of the profile itself: its tables, strings and what links them, without what only the
  // page needs.
  size_t ProfileBytes() const;
  // All of it, the timelines that were made included.
  size_t Bytes() const;
  // Made for a language when it is first asked for; English is there from the start.
  const std::string& report_json(Language language = Language::kEnglish) const;
  const ProfileAbout& about() const { return about_; }
  // What a comparison with another profile needs. Made when first asked for.
  const std::vector<diff::Run>& runs() const;
  // What SQL sees of it.
  const query::QueryTables& tables() const { return *tables_; }
  // Nanoseconds to add to a trace's times so that all traces share one clock.
  int64_t OffsetOf(size_t trace) const { return offsets_[trace]; }

 private:
  std::unique_ptr<Study> study_;
  std::vector<std::unique_ptr<LoadedTrace>> traces_;
  std::unique_ptr<const query::QueryTables> tables_;
  std::vector<int64_t> offsets_;
  // What its ranks say together, or null where it is one trace.
  const JobsReport* jobs() const;

  std::string report_json_;
  ProfileAbout about_;
  mutable std::once_flag chinese_made_, runs_made_;
  mutable std::string chinese_json_;
  mutable std::vector<diff::Run> runs_;
};

}  // namespace stepscope
