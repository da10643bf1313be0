#pragma once

#include <span>

#include "tables/column.h"

namespace stepscope {
struct LinkedTrace;
struct Report;
}  // namespace stepscope

namespace stepscope::tables {

// A table of the report: its columns, and where a report has its rows. The lists of columns stand
// beside the analyses (analyze/ops/ops_columns.h, …).
struct ReportTable {
  TableFacts facts;
  TableRows (*rows)(const LinkedTrace& linked, const Report& report);
  bool csv = true;  // `report --csv` writes it as NAME.csv
};

extern const ReportTable kSteps, kStepDevices, kIdleCauses, kOps, kOpsByShape, kKernels, kHlo,
    kModules, kMemory, kCollectives, kInputStages, kCounters, kCriticalPath, kDeviceTimeline,
    kQueues, kPython;

// All of them, in the order of the files of `report --csv`.
std::span<const ReportTable* const> ReportTables();

}  // namespace stepscope::tables
