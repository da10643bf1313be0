#pragma once

#include <span>
#include <string>

#include "present/report_json.h"
#include "present/text_options.h"

namespace stepscope {

// The report for people. Several: one line each, then the slowest in full.
std::string ReportsText(std::span<const Reported> reports, const TextOptions& options);

// One of them in full.
std::string ReportText(const Reported& reported, const TextOptions& options);

}  // namespace stepscope
