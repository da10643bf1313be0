#pragma once

#include <string>
#include <vector>

#include "analyze/tfprof/model.h"
#include "analyze/tfprof/options.h"
#include "analyze/tfprof/view.h"
#include "analyze/tfprof/wall.h"
#include "present/style.h"

// A view for people and for programs; what TensorFlow prints is in text.h.
namespace stepscope::tfprof {

struct ViewTable {
  const Model& model;
  const View& view;
  const Options& options;
  const std::vector<WallTimes>* wall = nullptr;  // in place of sums
};

std::string RenderTable(const ViewTable& table, const Style& style);
std::string RenderJson(const ViewTable& table);
std::string RenderCsv(const ViewTable& table);

}  // namespace stepscope::tfprof
