#include "tools/data/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/task_pool.h"
#include "command/damage.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "command/verb.h"
#include "io/input_damage.h"
#include "io/read_speed.h"
#include "tools/data/data_step_time.h"
#include "tools/data/dataset.h"
#include "tools/data/dataset_summary.h"
#include "tools/data/disk_need.h"
#include "tools/data/read/dataset_files.h"
#include "tools/data/read/survey.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

struct DataOptions {
  OutputOptions output;
  std::vector<std::string> paths;
  bool csv = false, measure = false, full = false;
  std::string profile;
  double step_ms = 0, batch = 0;
  int64_t sample_mb = 1024;
};

OptionParser ParserFor(DataOptions& options) {
  OptionParser parser("data", "[pack|verify|cat|split|unpack] PATH...", Say("data.about"));
  parser.Flag("--full", Say("data.full"), &options.full);
  parser.Integer("--sample-mb", "M", Say("data.most-mb"), &options.sample_mb, 1);
  parser.Flag("--measure", Say("data.measure"), &options.measure);
  parser.Text("--profile", "TRACE", Say("data.profile"), &options.profile);
  parser.Number("--step-ms", "MS", Say("data.step-ms"), &options.step_ms);
  parser.Number("--batch", "N", Say("data.batch"), &options.batch);
  parser.Flag("--csv", Say("data.csv"), &options.csv);
  AddOutputOptions(parser, &options.output);
  parser.Positionals("PATH", &options.paths, 1);
  parser.Example("stepscope data imagenet/", Say("data.example"));
  parser.Example("stepscope data imagenet/ --measure --step-ms 50 --batch 256",
                 Say("data.example-measure"));
  parser.Example("stepscope data pack imagenet/ -o shards/", Say("data.example-pack"));
  return parser;
}

// Which files to survey: all that can be; of TFRecord files only up to the limit, evenly chosen.
std::vector<size_t> Chosen(const std::vector<DatasetFile>& files, const DataOptions& options) {
  uint64_t total = 0;
  for (const DatasetFile& file : files) {
    total += file.format == DatasetFormat::kTfRecord ? file.bytes : 0;
  }
  const uint64_t most = static_cast<uint64_t>(options.sample_mb) << 20;
  const uint64_t stride = options.full || total <= most ? 1 : total / most + 1;
  std::vector<size_t> chosen;
  uint64_t seen = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const DatasetFormat format = files[i].format;
    if (format == DatasetFormat::kImage || format == DatasetFormat::kOther) continue;
    if (format != DatasetFormat::kTfRecord || seen++ % stride == 0) chosen.push_back(i);
  }
  return chosen;
}

std::vector<std::unique_ptr<const FileFacts>> Survey(const std::vector<DatasetFile>& files,
                                                     const DataOptions& options, ProgressBar& bar) {
  const std::vector<size_t> chosen = Chosen(files, options);
  uint64_t total = 1;
  for (const size_t i : chosen) total += files[i].bytes;
  std::atomic<uint64_t> done = 0;
  const Progress progress = bar.callback();
  SurveyOptions survey;
  survey.read_bytes = [&](uint64_t bytes) {
    const uint64_t now = done += bytes;
    if (progress) progress(static_cast<double>(now) / static_cast<double>(total), "reading");
  };
  std::vector<std::unique_ptr<const FileFacts>> facts(files.size());
  TaskPool pool(static_cast<unsigned>(options.output.threads));
  pool.ForEach(chosen.size(), [&](size_t i) {
    facts[chosen[i]] = std::make_unique<FileFacts>(SurveyFile(files[chosen[i]], survey));
  });
  return facts;
}

std::vector<ReadSpeed> Measure(const std::vector<DatasetFile>& files, const DataOptions& options,
                               ProgressBar& bar) {
  std::vector<FileToRead> to_read;
  for (const DatasetFile& file : files) to_read.push_back({file.path, file.bytes});
  MeasureOptions measure;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  measure.most_threads = options.output.threads > 0 ? static_cast<unsigned>(options.output.threads)
                                                    : static_cast<unsigned>(std::max(cores, 1L));
  measure.most_bytes = static_cast<uint64_t>(options.sample_mb) << 20;
  return MeasureReads(to_read, measure, bar.callback());
}

// The best that cold reading gave: a loader may use all its threads.
std::optional<double> BestCold(const std::vector<ReadSpeed>& speeds) {
  std::optional<double> best;
  for (const ReadSpeed& speed : speeds) {
    if (speed.cache != ReadSpeed::Cache::kCold) continue;
    best = std::max(best.value_or(0), speed.BytesPerSecond());
  }
  return best;
}

Result<void> AddNeed(const DataOptions& options, DatasetReport& report) {
  if (options.profile.empty() && options.step_ms <= 0) return {};
  if (options.batch <= 0) {
    return Fail(ErrorCode::kUsage, Say("data.needs-batch"));
  }
  double step_seconds = options.step_ms / 1e3;
  if (!options.profile.empty()) {
    const Result<StepTime> step =
        StepTimeOf(options.profile, static_cast<unsigned>(options.output.threads));
    if (!step) return std::unexpected(step.error());
    step_seconds = step->median_seconds;
    report.step_source = step->sentence;
  }
  const DatasetSummary& summary = report.summary;
  report.need = NeedOf(step_seconds, options.batch, summary.BytesPerRecord(),
                       BestCold(report.speeds), summary.bytes, PhysicalMemoryBytes());
  return {};
}

Result<std::string> Run(const DataOptions& options) {
  const Result<std::vector<DatasetFile>> files = FindDatasetFiles(options.paths);
  if (!files) return std::unexpected(files.error());
  ProgressBar bar;
  DatasetReport report;
  report.summary = SummariseDataset(*files, Survey(*files, options, bar));
  for (const DatasetDamage& damage : report.summary.damage) {
    NoteDamage(damage.file, "damaged-file", damage.sentence, damage.offset);
  }
  if (!options.csv) DamageIsShown();
  if (options.measure) report.speeds = Measure(*files, options, bar);
  if (const auto needed = AddNeed(options, report); !needed) {
    return std::unexpected(needed.error());
  }
  bar.Finish();
  if (options.output.json) return DatasetJson(report, JsonLanguage(options.output));
  if (options.csv) return DatasetCsv(report);
  return DatasetText(report, StyleFor(options.output));
}

struct Job {
  std::string_view name;
  int (*run)(std::span<char*>);
};
constexpr std::array kJobs{
    Job{"pack", RunDataPack},   Job{"verify", RunDataVerify}, Job{"cat", RunDataCat},
    Job{"split", RunDataSplit}, Job{"unpack", RunDataUnpack},
};

}  // namespace

int RunData(std::span<char*> arguments) {
  for (const Job& job : kJobs) {
    if (!arguments.empty() && job.name == arguments[0]) return job.run(arguments.subspan(1));
  }
  DataOptions options;
  const OptionParser parser = ParserFor(options);
  if (const auto ended = ParseOrHelp("data", parser, arguments)) return *ended;
  return ExitCodeAfter("data", Run(options));
}

}  // namespace stepscope
