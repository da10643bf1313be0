#include "cli/advise_inputs.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <memory>

#include "advise/log_facts.h"
#include "advise/machine_facts.h"
#include "analyze/report.h"
#include "io/byte_source.h"
#include "study/study.h"
#include "tools/data/dataset_summary.h"
#include "tools/data/read/dataset_files.h"
#include "tools/data/read/survey.h"
#include "words/cli.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCliTexts> Say;

constexpr uint64_t kTextLimit = uint64_t{1} << 30;

Result<std::string> ReadText(const std::string& file) {
  const Result<FileBytes> bytes = ReadWhole(file, kTextLimit);
  if (!bytes) return std::unexpected(bytes.error());
  return std::string(bytes->bytes().data(), bytes->bytes().size());
}

// Steps per second of another run: 1 / its median step.
Result<double> RateOf(const std::string& path, unsigned threads) {
  const Result<std::unique_ptr<Study>> study = Study::Open({path}, {.threads = threads});
  if (!study) return std::unexpected(study.error());
  const std::optional<DurationNs> median = (*study)->report(0).step_statistics.median;
  if (!median || median->ns == 0) {
    return Fail(ErrorCode::kUsage, Say("advise.no-rate"), path, Say("advise.give-rates"));
  }
  return 1e9 / static_cast<double>(median->ns);
}

// "full=12.5,trivial=13,synthetic=40"
Result<RunRates> ParseRates(std::string_view text) {
  RunRates rates;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const size_t equals = part.find('=');
    const std::string_view digits =
        equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    double value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const std::string_view name = part.substr(0, equals);
    std::optional<double>* slot = name == "full"        ? &rates.full
                                  : name == "trivial"   ? &rates.trivial
                                  : name == "synthetic" ? &rates.synthetic
                                                        : nullptr;
    if (slot == nullptr || error != std::errc{} || stop != digits.data() + digits.size() ||
        !(value > 0)) {
      return Fail(ErrorCode::kUsage, Say("advise.no-rate-part", part), {},
                  Say("advise.write-rates"));
    }
    *slot = value;
    at = end + 1;
  }
  return rates;
}

Result<RunRates> LoadRates(const AdviseInputs& inputs, Study& study) {
  Result<RunRates> rates = ParseRates(inputs.rates);
  if (!rates) return rates;
  const std::optional<DurationNs> median = study.report(0).step_statistics.median;
  if (!rates->full && median && median->ns > 0) {
    rates->full = 1e9 / static_cast<double>(median->ns);
  }
  for (const auto& [path, slot] : {std::pair(&inputs.trivial, &rates->trivial),
                                   std::pair(&inputs.synthetic, &rates->synthetic)}) {
    if (path->empty()) continue;
    const Result<double> rate = RateOf(*path, study.threads());
    if (!rate) return std::unexpected(rate.error());
    *slot = *rate;
  }
  return rates;
}

// How many files of a set are read through; the rest is counted by name and size.
constexpr size_t kSurveyedFiles = 32;

Result<DatasetFacts> LoadDataset(const std::string& path) {
  const Result<std::vector<DatasetFile>> files = FindDatasetFiles({path});
  if (!files) return std::unexpected(files.error());
  std::vector<std::unique_ptr<const FileFacts>> facts(files->size());
  for (size_t f = 0; f < std::min(files->size(), kSurveyedFiles); ++f) {
    facts[f] = std::make_unique<const FileFacts>(SurveyFile((*files)[f], {}));
  }
  const DatasetSummary summary = SummariseDataset(*files, facts);
  DatasetFacts dataset;
  dataset.files = summary.files;
  dataset.bytes = summary.bytes;
  dataset.median_file_bytes = summary.median_file_bytes;
  if (summary.Records() > 0) dataset.records = summary.Records();
  return dataset;
}

}  // namespace

Result<JsonValue> ReadJsonFile(const std::string& file) {
  const Result<std::string> text = ReadText(file);
  if (!text) return std::unexpected(text.error());
  Result<JsonValue> json = ParseJson(*text);
  if (!json) {
    Error error = json.error();
    error.file = file;
    error.code = ErrorCode::kUsage;
    return std::unexpected(std::move(error));
  }
  return json;
}

void AddInputOptions(OptionParser& parser, AdviseInputs* into) {
  parser.Text("--machine", "FILE", Say("advise.machine"), &into->machine);
  parser.Text("--log", "FILE", Say("advise.log"), &into->log);
  parser.Text("--dataset", "DIR", Say("advise.data"), &into->dataset);
  parser.Number("--disk-mb-per-s", "N", Say("advise.disk"), &into->disk_mb_per_s);
  parser.Text("--graph", "FILE", Say("advise.graph"), &into->graph);
  parser.Text("--trivial", "RUN", Say("advise.trivial"), &into->trivial);
  parser.Text("--synthetic", "RUN", Say("advise.synthetic"), &into->synthetic);
  parser.Text("--rates", "LIST", Say("advise.rates"), &into->rates);
  parser.Integer("--batch", "N", Say("advise.batch"), &into->batch, 1);
  parser.Integer("--workers", "N", Say("advise.workers"), &into->workers, 0);
  parser.Number("--bus-gb-per-s", "N", Say("advise.bandwidth"), &into->bus_gb_per_s);
  parser.Integer("--ranks-per-host", "N", Say("advise.ranks"), &into->ranks_per_host, 1);
}

Result<Given> LoadInputs(const AdviseInputs& inputs, Study& study) {
  Given given;
  if (!inputs.machine.empty()) {
    const Result<JsonValue> json = ReadJsonFile(inputs.machine);
    if (!json) return std::unexpected(json.error());
    if ((*json)["schema"].text() != "stepscope.doctor/1") {
      return Fail(ErrorCode::kUsage, Say("advise.not-doctor"), inputs.machine,
                  Say("advise.write-doctor"));
    }
    given.machine = ReadMachineFacts(*json);
  }
  if (!inputs.log.empty()) {
    const Result<std::string> text = ReadText(inputs.log);
    if (!text) return std::unexpected(text.error());
    given.log = ReadLogFacts(*text);
  }
  if (!inputs.dataset.empty()) {
    const Result<DatasetFacts> dataset = LoadDataset(inputs.dataset);
    if (!dataset) return std::unexpected(dataset.error());
    given.dataset = *dataset;
    if (inputs.disk_mb_per_s > 0) given.dataset->read_bytes_per_s = inputs.disk_mb_per_s * 1e6;
  }
  if (!inputs.trivial.empty() || !inputs.synthetic.empty() || !inputs.rates.empty()) {
    Result<RunRates> rates = LoadRates(inputs, study);
    if (!rates) return std::unexpected(rates.error());
    given.rates = *rates;
  }
  if (!inputs.graph.empty()) {
    Diagnostics ignored;
    Result<GraphDef> graph = ReadGraphDef(inputs.graph, ignored);
    if (!graph) return std::unexpected(graph.error());
    given.graph = std::move(*graph);
  }
  if (inputs.batch > 0 || inputs.workers >= 0 || inputs.ranks_per_host > 0 ||
      inputs.bus_gb_per_s > 0) {
    JobFacts job;
    if (inputs.batch > 0) job.batch = inputs.batch;
    if (inputs.workers >= 0) job.loader_workers = inputs.workers;
    if (inputs.ranks_per_host > 0) job.ranks_per_host = inputs.ranks_per_host;
    if (inputs.bus_gb_per_s > 0) job.bus_gb_per_s = inputs.bus_gb_per_s;
    given.job = job;
  }
  return given;
}

void AddConfigOption(OptionParser& parser, std::string* file) {
  parser.Text("--config", "FILE", Say("cli.config"), file);
}

}  // namespace stepscope
