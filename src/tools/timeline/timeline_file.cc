#include "tools/timeline/timeline_file.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "io/byte_sink.h"
#include "link/linked_trace.h"
#include "ranks/digest_trace.h"
#include "ranks/jobs.h"
#include "read/model_files.h"
#include "tools/timeline/chrome_timeline.h"
#include "tools/timeline/perfetto_timeline.h"
#include "tools/timeline/run_metadata_details.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

// The files of a series of RunMetadata, in order; the graph beside them is none of them.
std::vector<std::string> RunsOf(const Trace& trace) {
  if (trace.facts.format != Format::kRunMetadata) return {};
  std::vector<std::string> runs{trace.path};
  for (const std::string& path : trace.other_paths) {
    if (ModelFileOf(path) == ModelFile::kRunMetadata) runs.push_back(path);
  }
  return runs;
}

}  // namespace

TimelineFormat TimelineFormatForName(std::string_view path) {
  const bool perfetto = path.ends_with(".pftrace") || path.ends_with(".pftrace.gz") ||
                        path.ends_with(".perfetto-trace");
  return perfetto ? TimelineFormat::kPerfetto : TimelineFormat::kChrome;
}

Result<void> WriteTimelineFile(const TimelinePlan& plan, const TimelineOptions& options,
                               TimelineFormat format, const std::string& path) {
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(path, CompressionForName(path));
  if (!sink) return std::unexpected(std::move(sink.error()));
  Result<void> written = format == TimelineFormat::kPerfetto
                             ? WritePerfettoTimeline(plan, options, **sink)
                             : WriteChromeTimeline(plan, options, **sink);
  if (!written) return written;
  return (*sink)->Close();
}

void TimelineExtras::Add(const std::string& path, TimelineInput& input) {
  std::error_code error;
  if (input.trace->facts.format != Format::kRunMetadata ||
      std::filesystem::is_directory(path, error)) {
    return;
  }
  Diagnostics ignored;  // the reader of the trace has reported them
  Result<RunMetadata> run = ReadRunMetadata(path, ignored);
  if (!run) return;
  runs_.push_back(std::move(*run));
  input.details = DetailsOf(runs_.back(), *input.trace);
  input.arrows = DataFlowOf(runs_.back(), *input.trace);
}

Result<void> TimelineSources::Open(const std::string& path, unsigned threads) {
  Result<std::unique_ptr<Study>> opened = Study::Open({path}, {.threads = threads});
  if (!opened) return std::unexpected(std::move(opened.error()));
  // Runs of one program that a folder holds are shown one by one, as if each had been named.
  if ((*opened)->size() == 1) {
    const std::vector<std::string> runs = RunsOf((*opened)->linked(0).trace);
    if (runs.size() > 1) {
      for (const std::string& run : runs) {
        if (Result<void> done = Open(run, threads); !done) return done;
      }
      return {};
    }
  }
  Study& study = *studies_.emplace_back(std::move(*opened));
  for (size_t t = 0; t < study.size(); ++t) {
    const LinkedTrace& linked = study.linked(t);
    TimelineInput input{&linked.trace, &linked.links, &linked.steps, {}, {}};
    extras_.Add(path, input);
    inputs_.push_back(std::move(input));
  }
  return {};
}

Result<void> AlignByCollectives(const JobsReport& report, std::vector<TimelineInput>& inputs) {
  if (report.jobs.empty()) {
    return Fail(ErrorCode::kUsage, Say("timeline.no-job"), {}, Say("timeline.other-align"));
  }
  for (const Job& job : report.jobs) {
    for (size_t p = 0; p < job.members.size(); ++p) {
      if (!job.clocks.ranks[p].aligned) {
        return Fail(ErrorCode::kUsage, Say("timeline.no-alignment"), job.ranks[p].path,
                    Say("timeline.other-align"));
      }
      // A file is moved as a whole: where its clock drifts, by what is right in its middle.
      const RankDigest& rank = report.digests[job.members[p]];
      const TimeNs middle{rank.span.ns / 2};
      inputs[job.members[p]].clock_offset_ns =
          job.clocks.Global(static_cast<uint32_t>(p), rank, middle) - rank.epoch_ns - middle.ns;
    }
  }
  return {};
}

Result<void> TimelineSources::Align() {
  std::vector<RankDigest> digests;
  for (const std::unique_ptr<Study>& study : studies_) {
    for (size_t t = 0; t < study->size(); ++t) {
      digests.push_back(DigestOf(study->linked(t), study->report(t)));
    }
  }
  return AlignByCollectives(AnalyzeJobs(std::move(digests)), inputs_);
}

}  // namespace stepscope
