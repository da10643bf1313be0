#include "fleet/rank_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fleet/json_fields.h"
#include "fleet/rank_summary.h"
#include "ranks/analyze_job.h"
#include "ranks/digest_trace.h"
#include "ranks/jobs.h"
#include "words/fleet.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;

// Job, run and attempt where they are known, else the folder of the path without the rank.
std::string RunKeyOf(const ProfileRow& profile) {
  if (profile.job_id || profile.run_id) {
    return fmt::format("job\t{}\t{}\t{}", profile.job_id.value_or(""), profile.run_id.value_or(""),
                       profile.attempt.value_or(0));
  }
  const std::string rest = RankOfPath(profile.path).rest;
  const size_t slash = rest.find_last_of('/');
  return fmt::format("path\t{}", slash == std::string::npos ? "" : rest.substr(0, slash));
}

// Which of the digests are ranks of one run. Where the list or the path names the run, its ranks
// are those; a copy of a rank is left out.
std::vector<JobFiles> RunsAmong(const std::vector<RankDigest>& digests, bool named) {
  if (!named) return GroupJobs(digests);
  std::map<int64_t, size_t> by_rank;
  JobFiles run;
  for (size_t i = 0; i < digests.size(); ++i) {
    if (!digests[i].rank) continue;
    by_rank.emplace(*digests[i].rank, i);
    run.world_size =
        std::max({run.world_size, *digests[i].rank + 1, digests[i].world_size.value_or(0)});
  }
  for (const auto& [rank, place] : by_rank) {
    run.ranks.push_back(rank);
    run.members.push_back(place);
  }
  return run.members.size() < 2 ? std::vector<JobFiles>{} : std::vector{std::move(run)};
}

FileRows RankRowsOf(const SummaryLine& line, const Job& job, uint32_t position) {
  const JobRank& of = job.ranks[position];
  FileRows rows;
  rows.key = line.key;
  RankRow& row = rows.ranks.emplace_back();
  row.run_key = line.row.run_key;
  row.job_id = line.row.job_id;
  row.run_id = line.row.run_id;
  row.attempt = line.row.attempt;
  row.rank = of.rank;
  row.world_size = job.world_size;
  row.ranks = job.ranks.size();
  row.path = line.row.path;
  if (!of.host.empty()) row.host = of.host;
  row.steps = of.steps;
  row.step = of.step;
  row.own = of.own;
  row.compute = of.compute;
  row.exposed_transfer = of.exposed_transfer;
  row.exposed_wait = of.exposed_wait;
  row.wait = of.wait;
  row.first = of.first;
  row.last = of.last;
  row.judged = job.judged_calls;
  row.z = of.z;
  row.sets_pace = job.pace == position;
  if (job.straggler && job.straggler->position == position) {
    const Straggler& straggler = *job.straggler;
    row.straggler = true;
    row.cause = std::string(NameOf(straggler.cause));
    if (!straggler.region.empty()) row.region = straggler.region;
    row.sentence = InEnglish(straggler.sentence);
    row.excess_ns = straggler.excess.ns;
    row.gain_lo_ns = straggler.gain_lo.ns;
    row.gain_hi_ns = straggler.gain_hi.ns;
  }
  return rows;
}

}  // namespace

void AddRankSummary(const Reported& reported, uint32_t trace, FileRows& rows) {
  const ProfileRow& profile = rows.profiles.front();
  const Trace& of = reported.trace();
  const std::optional<int64_t> rank = of.facts.rank  ? of.facts.rank
                                      : profile.rank ? profile.rank
                                                     : RankOfPath(profile.path).rank;
  const std::optional<int64_t> world =
      of.facts.world_size ? of.facts.world_size : profile.world_size;
  if (!rank || world == 1) return;
  RankDigest digest = DigestOf(*reported.linked, *reported.report);
  digest.path = profile.path;
  digest.rank = rank;
  digest.world_size = world;
  if (profile.host) digest.host = *profile.host;
  RankSummaryRow& row = rows.rank_summaries.emplace_back();
  row.trace = trace;
  row.run_key = RunKeyOf(profile);
  row.path = profile.path;
  row.job_id = profile.job_id;
  row.run_id = profile.run_id;
  row.attempt = profile.attempt;
  row.rank = rank;
  row.world_size = world;
  row.summary = EncodeSummary(digest);
}

Result<SummaryLine> ReadSummaryLine(std::string_view text, size_t number) {
  const Result<JsonValue> object = ParseJson(text);
  const std::optional<std::string> summary = object ? TextIn(*object, "summary") : std::nullopt;
  const std::optional<std::string> key = object ? TextIn(*object, "run_key") : std::nullopt;
  if (!summary || !key) {
    return Fail(ErrorCode::kUsage, Say("fleet.no-summary", number), {}, Say("fleet.see-ranks"));
  }
  SummaryLine line;
  line.key = {TextIn(*object, "profile_id"), TextIn(*object, "day").value_or(""),
              TextIn(*object, "stepscope_version").value_or(STEPSCOPE_VERSION)};
  line.row.run_key = *key;
  line.row.path = TextIn(*object, "path").value_or("");
  line.row.job_id = TextIn(*object, "job_id");
  line.row.run_id = TextIn(*object, "run_id");
  line.row.attempt = IntegerIn(*object, "attempt");
  line.row.summary = *summary;
  return line;
}

std::vector<FileRows> RanksOfRun(std::vector<SummaryLine> lines, RankPassCounts& counts) {
  std::vector<RankDigest> digests;
  std::vector<SummaryLine> read;
  for (SummaryLine& line : lines) {
    std::optional<RankDigest> digest = DecodeSummary(line.row.summary);
    if (!digest) {
      ++counts.unreadable;
      continue;
    }
    digests.push_back(std::move(*digest));
    read.push_back(std::move(line));
  }
  std::vector<FileRows> rows;
  if (read.empty()) return rows;
  const bool named = read.front().row.job_id || read.front().row.run_id;
  for (JobFiles& run : RunsAmong(digests, named)) {
    const Job job = AnalyzeJob(digests, run.members, run.ranks, run.world_size);
    ++counts.runs;
    counts.ranks += job.ranks.size();
    for (uint32_t position = 0; position < job.ranks.size(); ++position) {
      rows.push_back(RankRowsOf(read[job.members[position]], job, position));
    }
  }
  return rows;
}

}  // namespace stepscope::fleet
