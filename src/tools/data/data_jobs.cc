#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/task_pool.h"
#include "command/damage.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/progress_bar.h"
#include "command/run_verb.h"
#include "io/input_damage.h"
#include "io/tfrecord.h"
#include "present/json_writer.h"
#include "present/units.h"
#include "tools/data/data.h"
#include "tools/data/dataset.h"
#include "tools/data/pack/pack.h"
#include "tools/data/pack/reshard.h"
#include "tools/data/read/dataset_files.h"
#include "tools/data/read/survey.h"
#include "words/data.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts, kDataTexts> Say;

struct Answer {
  std::string text;
  int exit_code = kExitFine;
  bool bytes = false;  // the text is data, not for people
};

// What was done, and how much of the input was too damaged for it.
Answer Told(const OutputOptions& output, const Message& done, uint64_t damaged = 0) {
  const Style style = StyleFor(output);
  return {style.Say(done) + (damaged > 0 ? style.Say(Say("data.left-out", damaged)) : "") + "\n"};
}

// Parses, runs, prints: what all jobs do alike.
template <typename Run>
int Do(const char* job, const OptionParser& parser, std::span<char*> arguments, Run&& run) {
  if (const auto ended = ParseOrHelp(job, parser, arguments)) return *ended;
  const Result<Answer> answer = run();
  if (!answer) return PrintError(job, answer.error());
  const Result<void> written = answer->bytes ? WriteBytesOut(answer->text) : WriteOut(answer->text);
  return written ? answer->exit_code : PrintError(job, written.error());
}

struct WriteOptions {
  OutputOptions output;
  std::vector<std::string> paths;
  std::string directory;
  std::string prefix = "data";
  bool force = false;
  double shard_mb = 100;

  Overwrite overwrite() const { return force ? Overwrite::kAllowed : Overwrite::kNever; }
  uint64_t shard_bytes() const { return static_cast<uint64_t>(shard_mb * 1e6); }
  Result<void> Check() const {
    if (directory.empty()) return Fail(ErrorCode::kUsage, Say("data.missing-out"));
    if (!(shard_mb > 0)) return Fail(ErrorCode::kUsage, Say("data.shard-above"));
    return {};
  }
};

void AddWriteOptions(OptionParser& parser, WriteOptions& options) {
  parser.Text("-o,--output", "DIR", Say("data.out"), &options.directory);
  parser.Flag("--force", Say("data.force"), &options.force);
  AddOutputOptions(parser, &options.output);
}

Result<std::vector<std::string>> RecordFilesOf(const std::vector<std::string>& paths) {
  const Result<std::vector<DatasetFile>> files = FindDatasetFiles(paths);
  if (!files) return std::unexpected(files.error());
  std::vector<std::string> records;
  for (const DatasetFile& file : *files) {
    if (file.format == DatasetFormat::kTfRecord) records.push_back(file.path);
  }
  if (records.empty()) return Fail(ErrorCode::kCannotRead, Say("data.no-tfrecord"), paths[0]);
  return records;
}

Result<Answer> PackAnswer(const WriteOptions& options, PackOptions& pack) {
  if (const auto checked = options.Check(); !checked) return std::unexpected(checked.error());
  pack.shard_bytes = options.shard_bytes();
  pack.prefix = options.prefix;
  TaskPool pool(static_cast<unsigned>(options.output.threads));
  Result<std::vector<DatasetFile>> files = FindDatasetFiles(options.paths, &pool);
  if (!files) return std::unexpected(files.error());
  const Result<PackPlan> plan = PlanPack(std::move(*files), pack);
  if (!plan) return std::unexpected(plan.error());
  ProgressBar bar;
  const Progress progress = bar.callback();
  const Result<PackResult> result =
      Pack(*plan, options.directory, options.overwrite(), pool, progress);
  bar.Finish();
  if (!result) return std::unexpected(result.error());
  if (options.output.json) {
    std::string out;
    JsonWriter json(out);
    json.BeginObject();
    json.Field("schema", "stepscope.data.pack/1");
    json.Field("records", result->records);
    json.Field("shards", result->shards);
    json.Field("shards_kept", result->shards_kept);
    json.Field("bytes_written", result->bytes);
    json.Field("layout", plan->layout == RecordLayout::kRaw ? "raw" : "image-example");
    json.Field("classes", plan->classes.size());
    json.EndObject();
    return Answer{out + "\n"};
  }
  const Message kept = result->shards_kept > 0 ? Say("data.kept", result->shards_kept) : Message();
  return Told(options.output,
              Say("data.packed", result->records, result->shards,
                  FormatBytes(static_cast<int64_t>(plan->bytes)), kept, result->paths.front()));
}

// "0.9,0.1"
Messages ParseParts(std::string_view text, std::vector<double>& parts) {
  while (!text.empty()) {
    double share = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (error != std::errc() || !(share > 0)) return Say("data.takes-shares");
    parts.push_back(share);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  return parts.size() < 2 ? Say("data.two-shares") : Message();
}

}  // namespace

int RunDataPack(std::span<char*> arguments) {
  WriteOptions options;
  PackOptions pack;
  std::string layout = "auto";
  OptionParser parser("data pack", "SRC... -o DIR", Say("data.pack.about"));
  parser.Number("--shard-mb", "MB", Say("data.pack.shard-mb"), &options.shard_mb);
  parser.Custom("--shuffle", "SEED", Say("data.pack.shuffle"),
                [&](std::string_view text) -> Sentences {
                  uint64_t seed = 0;
                  const char* end = text.data() + text.size();
                  if (std::from_chars(text.data(), end, seed).ptr != end)
                    return Say("data.takes-number");
                  pack.shuffle_seed = seed;
                  return "";
                });
  parser.Choice("--layout", {"auto", "example", "raw"}, Say("data.pack.layout"), &layout);
  parser.Text("--prefix", "NAME", Say("data.pack.prefix"), &options.prefix);
  AddWriteOptions(parser, options);
  parser.Positionals("SRC", &options.paths, 1);
  parser.Example("stepscope data pack imagenet/train -o shards --shuffle 1",
                 Say("data.pack.example"));
  return Do("data pack", parser, arguments, [&] {
    if (layout == "example") pack.layout = RecordLayout::kImageExample;
    if (layout == "raw") pack.layout = RecordLayout::kRaw;
    return PackAnswer(options, pack);
  });
}

int RunDataVerify(std::span<char*> arguments) {
  OutputOptions output;
  std::vector<std::string> paths;
  bool csv = false;
  OptionParser parser("data verify", "PATH...", Say("data.verify.about"));
  parser.Flag("--csv", Say("data.verify.csv"), &csv);
  AddOutputOptions(parser, &output);
  parser.Positionals("PATH", &paths, 1);
  return Do("data verify", parser, arguments, [&]() -> Result<Answer> {
    const Result<std::vector<DatasetFile>> found = FindDatasetFiles(paths);
    if (!found) return std::unexpected(found.error());
    std::vector<DatasetFile> files;
    uint64_t total = 1;
    for (const DatasetFile& file : *found) {
      // Verifies every file that is named; in a directory only TFRecord files.
      if (file.format != DatasetFormat::kTfRecord && found->size() > paths.size()) continue;
      files.push_back(file);
      files.back().format = DatasetFormat::kTfRecord;
      total += file.bytes;
    }
    ProgressBar bar;
    const Progress progress = bar.callback();
    std::atomic<uint64_t> done = 0;
    SurveyOptions survey;
    survey.examples_per_file = 0;
    survey.read_bytes = [&](uint64_t bytes) {
      const uint64_t now = done += bytes;
      if (progress) progress(static_cast<double>(now) / static_cast<double>(total), "verifying");
    };
    std::vector<VerifiedFile> verified(files.size());
    TaskPool pool(static_cast<unsigned>(output.threads));
    pool.ForEach(files.size(), [&](size_t i) {
      FileFacts facts = SurveyFile(files[i], survey);
      verified[i] = {files[i].path, files[i].bytes, facts.records, facts.compression,
                     std::move(facts.damage)};
    });
    bar.Finish();
    bool holds = true;
    for (const VerifiedFile& file : verified) {
      holds &= file.damage.empty();
      for (const DatasetDamage& damage : file.damage) {
        NoteDamage(damage.file, "damaged-records", damage.sentence, damage.offset);
      }
    }
    if (!csv) DamageIsShown();
    const int exit_code = holds ? kExitFine : kExitGateFailed;
    if (output.json) return Answer{VerifyJson(verified, JsonLanguage(output)), exit_code};
    if (csv) return Answer{VerifyCsv(verified), exit_code};
    return Answer{VerifyText(verified, StyleFor(output)), exit_code};
  });
}

int RunDataCat(std::span<char*> arguments) {
  OutputOptions output;
  std::vector<std::string> paths;
  int64_t first = 0;
  int64_t limit = 10;
  bool raw = false;
  OptionParser parser("data cat", "FILE...", Say("data.cat.about"));
  parser.Integer("--first", "N", Say("data.cat.first"), &first, 0);
  parser.Integer("--limit", "N", Say("data.cat.count"), &limit, 1);
  parser.Flag("--raw", Say("data.cat.raw"), &raw);
  AddOutputOptions(parser, &output);
  parser.Positionals("FILE", &paths, 1);
  return Do("data cat", parser, arguments, [&]() -> Result<Answer> {
    const Result<std::vector<std::string>> files = RecordFilesOf(paths);
    if (!files) return std::unexpected(files.error());
    const Style style = StyleFor(output);
    std::string out;
    uint64_t number = 0;
    const uint64_t last = static_cast<uint64_t>(first + limit);
    for (size_t f = 0; f < files->size() && number < last; ++f) {
      const Result<RecordFile> opened = OpenRecordFile((*files)[f]);
      if (!opened) return std::unexpected(opened.error());
      RecordStream records(*opened->bytes);
      while (number < last) {
        const RecordStream::Outcome outcome = records.Next();
        NoteFault((*files)[f], records, outcome);
        if (outcome == RecordStream::Outcome::kEnd) break;
        if (outcome == RecordStream::Outcome::kDamage) continue;
        if (number++ < static_cast<uint64_t>(first)) continue;
        out += raw           ? std::string(records.data())
               : output.json ? RecordJson(number - 1, records.data(), JsonLanguage(output))
                             : RecordText(number - 1, records.data(), style);
      }
    }
    return Answer{std::move(out), kExitFine, raw};
  });
}

int RunDataSplit(std::span<char*> arguments) {
  WriteOptions options;
  ReshardOptions reshard;
  int64_t seed = 0;
  OptionParser parser("data split", "FILE... -o DIR", Say("data.split.about"));
  parser.Number("--shard-mb", "MB", Say("data.split.shard-mb"), &options.shard_mb);
  parser.Custom("--parts", "A,B", Say("data.split.shares"),
                [&](std::string_view text) { return ParseParts(text, reshard.parts); });
  parser.Integer("--seed", "N", Say("data.split.seed"), &seed);
  parser.Text("--prefix", "NAME", Say("data.split.prefix"), &options.prefix);
  AddWriteOptions(parser, options);
  parser.Positionals("FILE", &options.paths, 1);
  return Do("data split", parser, arguments, [&]() -> Result<Answer> {
    if (const auto checked = options.Check(); !checked) return std::unexpected(checked.error());
    const Result<std::vector<std::string>> files = RecordFilesOf(options.paths);
    if (!files) return std::unexpected(files.error());
    reshard.shard_bytes = options.shard_bytes();
    reshard.prefix = options.prefix;
    reshard.seed = static_cast<uint64_t>(seed);
    reshard.overwrite = options.overwrite();
    ProgressBar bar;
    const Result<ReshardResult> result =
        Reshard(*files, options.directory, reshard, bar.callback());
    bar.Finish();
    if (!result) return std::unexpected(result.error());
    return Told(options.output,
                Say("data.split", result->records, result->paths.size(),
                    fmt::format("{}", fmt::join(result->part_records, ", "))),
                result->damaged);
  });
}

int RunDataUnpack(std::span<char*> arguments) {
  WriteOptions options;
  OptionParser parser("data unpack", "FILE... -o DIR", Say("data.unpack.about"));
  AddWriteOptions(parser, options);
  parser.Positionals("FILE", &options.paths, 1);
  return Do("data unpack", parser, arguments, [&]() -> Result<Answer> {
    if (const auto checked = options.Check(); !checked) return std::unexpected(checked.error());
    const Result<std::vector<std::string>> files = RecordFilesOf(options.paths);
    if (!files) return std::unexpected(files.error());
    ProgressBar bar;
    const Result<UnpackResult> result =
        Unpack(*files, options.directory, options.overwrite(), bar.callback());
    bar.Finish();
    if (!result) return std::unexpected(result.error());
    return Told(
        options.output,
        Say("data.unpacked", result->files, FormatBytes(static_cast<int64_t>(result->bytes))),
        result->damaged);
  });
}

}  // namespace stepscope
