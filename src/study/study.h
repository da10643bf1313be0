#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "advise/settings.h"
#include "analyze/report_options.h"
#include "base/result.h"
#include "io/byte_source.h"
#include "trace/trace.h"

namespace stepscope {

struct Advice;
struct ExecutionRows;
struct Given;
struct GraphDef;
struct JobsReport;
struct LinkedTrace;
struct Report;
struct Reported;

struct StudyOptions {
  std::string run = {};       // which run of a log directory; the newest by default
  ReportOptions report = {};  // what of the profile the reports are about
  Settings settings = {};     // of the rules
  unsigned threads = 0;       // 0: one per core
  Progress progress = {};     // of opening
  std::stop_token stop = {};  // opening ends soon after it says so, with kInterrupted
  // Asks the user before a program is run that opening needs; empty: nobody is asked.
  std::function<bool(const Message& question)> ask = {};
  // What people call the paths, one for each, where that is not how they are opened: bytes in
  // memory have a path to be read from, but no name.
  std::vector<std::string> names = {};
};

// One question about a profile: what was opened, and all that is worked out from it. Every verb,
// the server and Python begin here; nothing else opens, groups, links, analyses or advises. Each
// part is made once, when it is first asked for. Safe to use from many threads.
class Study {
 public:
  static Result<std::unique_ptr<Study>> Open(std::vector<std::string> paths, StudyOptions options);
  ~Study();

  const Profile& profile() const { return profile_; }
  size_t size() const { return profile_.traces.size(); }  // traces
  const Trace& trace(size_t trace) const { return profile_.traces[trace]; }
  unsigned threads() const { return threads_; }
  // Where what was given can be read again, whatever it is called.
  const std::vector<std::string>& read_paths() const { return read_paths_; }
  const std::string& ReadPathOf(size_t trace) const;
  // Every file that was read.
  std::vector<std::string> FilesRead() const;

  const LinkedTrace& linked(size_t trace);
  const Report& report(size_t trace);
  // The graph of the trace's model; no nodes where no file has it.
  const GraphDef& graph(size_t trace);
  // The execution trace that was given with it; no nodes where there was none.
  const ExecutionRows& execution(size_t trace) const;
  // By trace, as the settings say.
  const std::vector<Advice>& advice();
  // The same with what else is known and a choice of rules. Not kept.
  std::vector<Advice> Advise(const AdviseOptions& options, const Given& given);

  // The traces as ranks of jobs; no jobs where none belong together.
  const JobsReport& jobs();

  // What is shown of every trace. Advice of another call of Advise has to stay.
  std::vector<Reported> reported();
  std::vector<Reported> ReportedWith(std::span<const Advice> advice);

  // Makes all of it that is not made yet, graphs left out, and ends soon after it is asked to stop
  // with kInterrupted; what was made till then is kept.
  Result<void> Prepare(const std::stop_token& stop);

 private:
  struct Parts;  // what is made on demand

  Study(Profile profile, std::vector<std::string> graphs, std::vector<ExecutionRows> executions,
        std::vector<std::string> paths, StudyOptions options);
  // Null when it was stopped.
  const Report* MadeReport(size_t trace, const std::stop_token& stop);
  const std::vector<Advice>* MadeAdvice(const std::stop_token& stop);
  std::vector<std::vector<const LinkedTrace*>> RanksOfEach();
  std::vector<Advice> AdviseEach(const AdviseOptions& options, const Given& given,
                                 const std::stop_token& stop);

  Profile profile_;
  const std::vector<std::string> graphs_;  // GraphDef files among what was opened
  const std::vector<std::string> read_paths_;
  const ReportOptions report_options_;
  const Settings settings_;
  const unsigned threads_;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace stepscope
