#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "present/csv.h"
#include "present/json_writer.h"
#include "present/style.h"
#include "ranks/jobs.h"

namespace stepscope {

struct RanksTextOptions {
  Style style;
  size_t top = 8;
  bool all = false;
};

// The job first: clocks, straggler, exposed communication, collectives, a line a rank.
std::string JobText(const Job& job, const RanksTextOptions& options);
// All jobs, how they scale, and what belongs to none or could not be read.
std::string JobsText(const JobsReport& report, std::span<const Error> failed,
                     const RanksTextOptions& options);

// One job as stepscope.ranks/1 (docs/ranks.md): a JSON object.
void WriteJobJson(const Job& job, JsonWriter& json);
// The job with most ranks as that object, with the other jobs, scaling, and files that belong to
// none or could not be read added to it. Where there is no job, ranks are empty.
void WriteRanksJson(const JobsReport& report, std::span<const Error> failed, JsonWriter& json);

// ranks.csv, rank_collectives.csv and rank_steps.csv.
std::vector<CsvTable> RanksCsv(const JobsReport& report);

}  // namespace stepscope
