#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "present/style.h"

namespace stepscope {

struct FollowOptions {
  std::vector<std::string> paths;
  std::function<bool(const std::string&)> wanted_run;
  std::function<bool(std::string_view)> wanted_tag;  // every tag when empty
  double idle_exit_seconds = 0;                      // 0: until interrupted
  Style style{};
};

// Prints scalars as they are written, like tail -f: those that are there first, then new ones, also
// of files and runs that appear later. Returns "" when nothing came for as long as the options say.
Result<std::string> FollowEvents(const FollowOptions& options);

}  // namespace stepscope
