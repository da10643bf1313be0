#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "present/report_json.h"
#include "present/style.h"

namespace stepscope {

struct TextOptions {
  Style style;
  size_t top = 8;    // rows per table
  bool all = false;  // every row, every device, every step
};

// The report for people. Several: one line each, then the slowest in full.
std::string ReportsText(std::span<const Reported> reports, const TextOptions& options);

// One of them in full.
std::string ReportText(const Reported& reported, const TextOptions& options);

}  // namespace stepscope
