#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "advise/thresholds.h"
#include "base/result.h"

namespace stepscope {

// A stepscope.toml: limits under [thresholds], ignored rules with the reason under [ignore].
//
//   [thresholds]
//   input-moderate = 0.08
//   [ignore]
//   python-gc-pause = "collected between epochs on purpose"
struct Settings {
  Limits limits;
  std::map<std::string, std::string> ignored;  // rule → reason
};

// Which rules to run.
struct AdviseOptions {
  std::vector<std::string> only;               // ids; empty: all
  std::map<std::string, std::string> ignored;  // id → reason
};

// The two tables of TOML above with comments; an Error names the file, the line and what was
// expected.
Result<Settings> ParseSettings(std::string_view text, const std::string& file);

// What the file says. Without a name: stepscope.toml in the working directory, where there is one.
Result<Settings> LoadSettings(const std::string& file);

}  // namespace stepscope
