#pragma once

#include <string>
#include <vector>

#include "present/style.h"
#include "read/tfevents/run_log.h"
#include "tools/events/step_rate.h"
#include "tools/events/step_table.h"

namespace stepscope {

struct RunRate {
  std::string run;
  std::string tag;  // whose points were used
  StepRate rate;
};

// Runs and tags with count, steps, last value and extremes; then what was damaged, cut or hidden.
std::string EventLogText(const std::vector<RunLog>& runs, const Style& style);
// What was damaged, is still being written, or is hidden by a restart; empty when all is well.
std::string EventLogNotes(const std::vector<RunLog>& runs, const Style& style);
// Notes damage and cuts in io/input_damage.h.
void NoteDamageOf(const RunLog& run);
Message SentenceOf(const Restart& restart, const std::string& run);
// docs/events.md, "stepscope.events/1".
std::string EventLogJson(const std::vector<RunLog>& runs, const std::vector<RunRate>& rates,
                         Language language);
// run,tag,step,wall_time,value
std::string EventPointsCsv(const std::vector<RunLog>& runs);

std::string StepTableText(const StepTable& table, const Style& style);
std::string StepTableCsv(const StepTable& table);

std::string RatesText(const std::vector<RunRate>& rates, const Style& style);
std::string RatesCsv(const std::vector<RunRate>& rates);

// A point of --follow.
Message FollowedPoint(const std::string& run, const std::string& tag, const ScalarPoint& point);
// A writer that began (again), in --follow.
Message StartOf(const std::string& run, int64_t step);

// A value as people and CSV see it: shortest digits that read back the same, "nan", "inf", "-inf".
std::string FormatValue(double value);

}  // namespace stepscope
