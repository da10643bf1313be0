#pragma once

#include <span>
#include <string>
#include <vector>

#include "present/csv.h"
#include "present/report_json.h"

namespace stepscope {

// The tables of `report --json` as files. The first column of each is the profile's path, so that
// several profiles share one file; times are ns, sizes bytes, unknown values empty. Tables without
// rows have their header only. Sentences are in that language.
std::vector<CsvTable> ReportsCsv(std::span<const Reported> reports, Language language);

}  // namespace stepscope
