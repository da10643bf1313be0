#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diff/diff.h"

// What `tune` tries, what it measured and what that proves.
namespace stepscope::tune {

// Environment variables of the program. None: the program as it is.
struct Setting {
  std::vector<std::pair<std::string, std::string>> variables;
};
std::string NameOf(const Setting& setting);  // "OMP_NUM_THREADS=4 MKL_NUM_THREADS=4"

// One run of the program.
struct Measured {
  int64_t round = 0;
  int64_t run_ns = 0;
  std::optional<int64_t> step_ns;  // the median step; none: too few were marked
  uint64_t steps = 0;
  int exit_code = 0, signal = 0;
  bool cut = false;       // it was ended by the time limit, which is no failure
  std::string framework;  // "PyTorch"; empty: none was imported
  std::string output;     // where its output is
  // What the program set itself, by variable or function, and the value it wanted.
  std::map<std::string, std::string> overruled;
  std::map<std::string, std::string> lost;  // that could not be overruled

  bool failed() const { return !cut && (exit_code != 0 || signal != 0); }
};

struct Trial {
  Setting setting;
  std::vector<Measured> runs;
  diff::Comparison compared;  // with the program as it is

  const Measured* failure() const;
  // Variables of this setting that the program replaced with its own value.
  std::map<std::string, std::string> Lost() const;
};

enum class Metric : uint8_t { kStep, kRun };

struct Tuned {
  Metric metric = Metric::kStep;
  std::vector<Trial> trials;   // the first is the program as it is
  std::optional<size_t> best;  // the fastest of those that are proven faster
  // How much longer the last round took than the first, whatever the setting.
  std::optional<double> drift;
};

// Compares every setting with the first by the test of `diff`: medians of runs, Mann-Whitney, the
// rate of false discoveries over all settings. A setting whose runs failed, or whose variables the
// program replaces, is not judged.
Tuned JudgeTrials(std::vector<Trial> trials, const diff::Settings& settings);

// How many runs a side let the test prove anything at all, when so many settings are compared.
int64_t RunsToDecide(size_t settings, double alpha);

}  // namespace stepscope::tune
