// A trace, mutated: report, advise, every view and both timelines, to their last byte. Slowness and
// memory that grow with the square of the input show here.

#include <cstdint>
#include <fstream>

#include "base/testing/temp_dir.h"
#include "present/advice.h"
#include "present/report_csv.h"
#include "present/report_json.h"
#include "present/report_text.h"
#include "study/study.h"
#include "tools/tfprof/tfprof_output.h"
#include "tools/tfprof/view_inputs.h"
#include "tools/timeline/timeline_file.h"

namespace stepscope {
namespace {

void Views(Study& study) {
  for (size_t t = 0; t < study.size(); ++t) {
    for (const tfprof::ViewKind kind : {tfprof::ViewKind::kScope, tfprof::ViewKind::kGraph,
                                        tfprof::ViewKind::kOp, tfprof::ViewKind::kCode}) {
      const tfprof::Model model = ViewedTrace(study.linked(t), kind);
      tfprof::Options options;
      options.max_depth = 1'000'000;
      (void)tfprof::Show(model, kind, options, [](std::string_view) { return std::nullopt; });
    }
  }
}

void Timelines(const std::string& path, const std::string& out) {
  TimelineSources sources;
  if (!sources.Open(path, 1)) return;
  const TimelineOptions options;
  const Result<TimelinePlan> plan = PlanTimeline(sources.TakeInputs(), options);
  if (!plan) return;
  (void)WriteTimelineFile(*plan, options, TimelineFormat::kChrome, out);
  (void)WriteTimelineFile(*plan, options, TimelineFormat::kPerfetto, out);
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static const TempDir folder;
  static const std::string path = folder / "trace.json";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const Result<std::unique_ptr<Study>> study = Study::Open({path}, {.threads = 1});
  if (!study) return 0;
  const std::vector<Reported> reported = (*study)->reported();
  std::string json;
  WriteReportsJson(reported, reported.size() > 1 ? &(*study)->jobs() : nullptr, Language::kEnglish,
                   json);
  WriteAdviceJson(reported, Language::kChinese, json);
  (void)ReportsCsv(reported, Language::kChinese);
  (void)ReportsText(reported, {.all = true});
  Views(**study);
  Timelines(path, folder / "out");
  return 0;
}
