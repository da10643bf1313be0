#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/listed_path.h"

namespace re2 {
class RE2;
}

namespace stepscope::fleet {

// What the parts of a path mean: "jobs/{job}/{run}/rank{rank}_*.json.gz". {job}, {run}, {host},
// {attempt}, {rank} and {world} match one or more characters other than '/', numbers only where a
// number is meant; '*' matches any without '/', '**' any. The pattern has to fit the end of the
// path, from the beginning of a folder or file name on.
class PathPattern {
 public:
  static Result<PathPattern> Parse(std::string_view pattern);

  // Fills facts that are not known yet. False where the path does not fit.
  bool Match(std::string_view path, PathFacts& facts) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
  std::vector<std::string> names_;
};

}  // namespace stepscope::fleet
