#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "advise/testing/advised.h"
#include "analyze/testing/real_trace.h"

// Every rule on every profile at hand, as a golden file: tests/data/advice_matrix.txt. A line is a
// profile and what fires on it; the lines that begin with "#" say why a finding of severity high on
// a mended or good profile is right. STEPSCOPE_UPDATE=1 writes the file.
namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string GoldenPath() {
  return std::string(STEPSCOPE_SOURCE_DIR) + "/tests/data/advice_matrix.txt";
}

// Files that are opened together, by the name that the golden file gives them.
std::map<std::string, std::vector<std::string>> Profiles() {
  const std::string source = STEPSCOPE_SOURCE_DIR;
  std::map<std::string, std::vector<std::string>> profiles;
  const auto walk = [&](const std::string& root, const std::string& shown) {
    if (!fs::is_directory(root)) return;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string file = entry.path().string();
      const std::string name = shown + file.substr(root.size());
      const auto ends = [&](std::string_view end) { return name.ends_with(end); };
      const bool run_metadata =
          entry.path().filename().string().find("run_meta") == 0 || ends("run_meta.pb");
      const bool profile = ends(".json.gz") || ends(".json") || ends(".xplane.pb") ||
                           ends(".xplane.pb.gz") || run_metadata;
      // What tfprof printed for a profile is none.
      const bool answer = ends("facts.json") || name.find("/cases/") != std::string::npos ||
                          name.find("/expected/") != std::string::npos;
      if (!entry.is_regular_file() || !profile || answer) continue;
      // The ranks of a job: name.r0.json.gz …
      const size_t rank = name.find(".r0.json");
      const bool other_rank = name.find(".r1.json") != std::string::npos ||
                              name.find(".r2.json") != std::string::npos ||
                              name.find(".r3.json") != std::string::npos;
      if (other_rank) continue;
      std::vector<std::string>& files = profiles[name];
      files.push_back(file);
      for (int r = 1; rank != std::string::npos && r < 4; ++r) {
        std::string next = file;
        next.replace(next.find(".r0.json"), 8, fmt::format(".r{}.json", r));
        if (fs::exists(next)) files.push_back(next);
      }
    }
  };
  walk(source + "/examples", "examples");
  for (const char* folder : {"h200", "rules", "hta", "tb_plugin", "tf", "tf_xplane", "tfprof",
                             "timelines", "tracelens", "xprof"}) {
    walk(SharedData(folder), folder);
  }
  return profiles;
}

// The graph that lies beside a RunMetadata.
Given GraphBeside(const std::string& file) {
  Given beside;
  const size_t at = file.rfind("run_meta");
  if (at == std::string::npos || file.ends_with(".json.gz")) return beside;
  for (const char* end : {"graph.pb", "graph.pb.gz", "graph.pbtxt"}) {
    const std::string graph = file.substr(0, at) + end;
    Diagnostics diagnostics;
    if (!fs::exists(graph)) continue;
    if (Result<GraphDef> read = ReadGraphDef(graph, diagnostics)) beside.graph = std::move(*read);
  }
  return beside;
}

// "name: high a, b; medium c; note d; ? e"
std::string LineOf(const std::string& name, const Advice& advice, bool* has_high) {
  std::map<FindingSeverity, std::string> by_severity;
  for (const Finding& finding : advice.findings) {
    std::string& list = by_severity[finding.severity];
    list += (list.empty() ? " " : ", ") + std::string(finding.rule);
    for (const ExplainedBy& cause : finding.causes) list += fmt::format(" < {}", cause.rule);
  }
  *has_high = by_severity.contains(FindingSeverity::kHigh);
  std::string line = name + ":";
  for (const auto& [severity, list] : by_severity) {
    line += fmt::format(" {}{};", NameOf(severity), list);
  }
  return line + fmt::format(" {} cannot tell", advice.cannot_tell.size());
}

bool IsGood(const std::string& name) {
  return name.find(".fixed.") != std::string::npos || name.find("_good") != std::string::npos ||
         name.find("keras_fixed") != std::string::npos ||
         name.find("compute-bound") != std::string::npos;
}

std::map<std::string, std::string> GoldenLines(std::map<std::string, std::string>& why) {
  std::map<std::string, std::string> lines;
  std::ifstream file(GoldenPath());
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      if (!last.empty()) why[last] += line + "\n";
      continue;
    }
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    last = line.substr(0, colon);
    lines[last] = line;
  }
  return lines;
}

std::string At(const std::map<std::string, std::string>& lines, const std::string& name) {
  const auto line = lines.find(name);
  return line == lines.end() ? "no such line" : line->second;
}

TEST(Matrix, EveryRuleOnEveryProfile) {
  std::map<std::string, std::string> why;
  const std::map<std::string, std::string> golden = GoldenLines(why);
  const bool update = std::getenv("STEPSCOPE_UPDATE") != nullptr;
  if (!fs::is_directory(SharedData("rules"))) {
    std::printf("SKIPPED: %s is not on this machine, only the examples are compared\n",
                SharedData("").c_str());
  }
  std::string written =
      "# Rule by profile: what fires, by severity; \"a < b\": b explains a. Lines that begin with "
      "#\n"
      "# say why a finding of severity high on a mended or good profile is right.\n";
  for (const auto& [name, files] : Profiles()) {
    TaskPool pool(2);
    const Result<Profile> opened = OpenProfile(files, {}, pool);
    if (!opened || opened->traces.empty()) {  // other JSON, or damaged on purpose
      const std::string line = name + ": not opened: " + (opened ? "" : opened.error().sentence);
      if (name.find(".json") == std::string::npos) {
        written += line + "\n";
        if (!update) {
          EXPECT_EQ(line, At(golden, name));
        }
      }
      continue;
    }
    const AdvisedProfile advised = AdviseFiles(files, GraphBeside(files.front()));
    for (size_t t = 0; t < advised.advice.size(); ++t) {
      const std::string key = advised.advice.size() > 1 ? fmt::format("{} [{}]", name, t) : name;
      bool has_high = false;
      const std::string line = LineOf(key, advised.advice[t], &has_high);
      written += line + "\n" + why[key];
      if (update) continue;
      EXPECT_EQ(line, At(golden, key));
      const bool explained = !has_high || !IsGood(name) || !why[key].empty();
      EXPECT_TRUE(explained) << "no reason given: " << line;
    }
  }
  if (update) std::ofstream(GoldenPath()) << written;
}

// With nothing changed the replay gives the step that was recorded: within 2 % at the median of all
// profiles. Where it is off by more than 5 % nothing is promised, and the finding says so.
TEST(Matrix, ReplayGivesWhatWasRecorded) {
  std::vector<double> errors;
  for (const auto& [name, files] : Profiles()) {
    TaskPool pool(2);
    const Result<Profile> opened = OpenProfile(files, {}, pool);
    if (!opened) continue;
    const AdvisedProfile advised = AdviseFiles(files);
    for (size_t t = 0; t < advised.advice.size(); ++t) {
      const Report& report = advised.reports[t];
      const ReplayOfSteps replay(advised.profile.traces[t], report.links, report.steps, pool);
      if (replay.step_count() == 0) continue;
      errors.push_back(replay.error());
      if (replay.error() <= ReplayOfSteps::kTolerated) continue;
      for (const Finding& finding : advised.advice[t].findings) {
        EXPECT_EQ(finding.saving.lo.ns, 0) << name << ": " << finding.title;
        EXPECT_FALSE(finding.saving.replayed) << name << ": " << finding.title;
      }
    }
  }
  ASSERT_FALSE(errors.empty());
  std::sort(errors.begin(), errors.end());
  EXPECT_LE(errors[errors.size() / 2], 0.02);
  std::printf(
      "%zu profiles replayed, median error %.2f %%, %zu of them off by more than 5 %%\n",
      errors.size(), errors[errors.size() / 2] * 100,
      static_cast<size_t>(errors.end() - std::upper_bound(errors.begin(), errors.end(), 0.05)));
}

TEST(Matrix, GoodProfileHasNothingOfSeverityHigh) {
  const std::string file = SharedData("h200/resnet50_good.pt.trace.json.gz");
  if (!fs::exists(file)) GTEST_SKIP() << "SKIPPED: " << file << " is not on this machine";
  const AdvisedProfile advised = AdviseFiles({file});
  for (const Finding& finding : advised.advice.front().findings) {
    EXPECT_NE(finding.severity, FindingSeverity::kHigh) << finding.title;
  }
}

}  // namespace
}  // namespace stepscope
