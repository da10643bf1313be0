#pragma once

#include <span>
#include <string>
#include <vector>

#include "present/style.h"
#include "tools/tfprof/model.h"
#include "tools/tfprof/options.h"
#include "tools/tfprof/view.h"
#include "tools/tfprof/wall.h"
#include "trace/trace.h"

// A view for people and for programs; what TensorFlow prints is in text.h.
namespace stepscope::tfprof {

struct ViewTable {
  const Model& model;
  const View& view;
  const Options& options;
  const std::vector<WallTimes>* wall = nullptr;  // in place of sums
  const Trace* trace = nullptr;                  // what it was made of, where that is a trace
};

std::string RenderTable(const ViewTable& table, const Style& style);
std::string RenderJson(const ViewTable& table);
// Views of several traces as one object.
std::string JoinJson(std::span<const std::string> views);
std::string RenderCsv(const ViewTable& table);
// Of several traces: a first column names the trace, and only the first has the header.
std::string RenderCsvPart(const ViewTable& table, bool header);

}  // namespace stepscope::tfprof
