#include "cli/fleet_ranks.h"

#include <string>

#include "base/task_pool.h"
#include "command/errors.h"
#include "command/options.h"
#include "command/output.h"
#include "command/run_verb.h"
#include "fleet/batch.h"
#include "fleet/rank_pass.h"
#include "io/byte_source.h"
#include "words/fleet.h"

namespace stepscope {
namespace {

constexpr std::string_view kVerb = "fleet ranks";
constexpr SayFrom<kFleetTexts> Say;

struct Options {
  OutputOptions style;
  std::string summaries, out, format = "parquet";
};

OptionParser Parser(Options& options) {
  OptionParser parser(kVerb, "--summaries FILE --out FILE [OPTIONS]", Say("fleet.help.ranks"));
  parser.Text("--summaries", "FILE", Say("fleet.help.ranks-summaries"), &options.summaries);
  parser.Text("--out", "FILE", Say("fleet.help.ranks-out"), &options.out);
  parser.Choice("--format", {"parquet", "arrow", "jsonl"}, Say("fleet.help.format"),
                &options.format);
  AddOutputOptions(parser, &options.style);
  parser.Example("stepscope fleet ranks tables", Say("fleet.help.example-ranks"));
  return parser;
}

Result<fleet::RankPassCounts> Join(const Options& options) {
  if (options.summaries.empty() || options.out.empty()) {
    return Fail(ErrorCode::kUsage, Say("fleet.ranks-needs"), {}, Say("fleet.see-ranks"));
  }
  const Result<FileBytes> bytes = ReadWhole(options.summaries);
  if (!bytes) return std::unexpected(bytes.error());
  fleet::BatchTable table(fleet::kRankTable);
  Result<fleet::RankPassCounts> counts = fleet::JoinRanks(
      {bytes->bytes().data(), bytes->bytes().size()}, [&](const fleet::FileRows& rows) {
        const std::string block = fleet::EncodeTable(fleet::kRankTable, rows);
        std::string_view rest = block;
        (void)table.Append(rest);  // it was made here
      });
  if (!counts) return counts;
  TaskPool pool(1);
  const Result<void> written =
      fleet::WriteTableFile(table, fleet::FormatNamed(options.format), pool, options.out);
  if (!written) return std::unexpected(written.error());
  return counts;
}

}  // namespace

int RunFleetRanks(std::span<char*> arguments) {
  Options options;
  const OptionParser parser = Parser(options);
  if (const auto ended = ParseOrHelp(kVerb, parser, arguments)) return *ended;
  const Result<fleet::RankPassCounts> counts = Join(options);
  if (!counts) return PrintError(kVerb, counts.error());
  return ExitCodeAfter(
      kVerb,
      WriteOut(Render(Say("fleet.ranks-done", counts->ranks, counts->runs, counts->unreadable),
                      StyleFor(options.style).language) +
               "\n"));
}

}  // namespace stepscope
