#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/rows.h"
#include "study/reported.h"

// Ranks of a job are joined after all were read, one by one and anywhere, by their summaries.
namespace stepscope::fleet {

// Adds the summary of a trace that may be a rank of a job; the row of `profiles` is there already.
void AddRankSummary(const Reported& reported, uint32_t trace, FileRows& rows);

// The rows of the table `ranks` of summaries: one JSON object a line with the columns of
// `rank_summaries`, those of a run one after the other. `take` gets the rows of a path.
struct RankPassCounts {
  uint64_t summaries = 0, unreadable = 0, runs = 0, ranks = 0;
};
template <typename Take>
Result<RankPassCounts> JoinRanks(std::string_view lines, Take take);

// One run: rows of its ranks, or none where there are no two.
struct SummaryLine {
  FileKey key;
  RankSummaryRow row;
};
Result<SummaryLine> ReadSummaryLine(std::string_view line, size_t number);
std::vector<FileRows> RanksOfRun(std::vector<SummaryLine> lines, RankPassCounts& counts);

template <typename Take>
Result<RankPassCounts> JoinRanks(std::string_view lines, Take take) {
  RankPassCounts counts;
  std::vector<SummaryLine> run;
  const auto finish = [&] {
    for (const FileRows& rows : RanksOfRun(std::move(run), counts)) take(rows);
    run.clear();
  };
  for (size_t number = 1; !lines.empty(); ++number) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view text = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (text.empty()) continue;
    Result<SummaryLine> line = ReadSummaryLine(text, number);
    if (!line) return std::unexpected(line.error());
    if (!run.empty() && run.back().row.run_key != line->row.run_key) finish();
    run.push_back(std::move(*line));
    ++counts.summaries;
  }
  finish();
  return counts;
}

}  // namespace stepscope::fleet
