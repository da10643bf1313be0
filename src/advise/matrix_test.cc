#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "advise/testing/advised.h"
#include "analyze/testing/real_trace.h"

// Every rule on every profile, as golden files: tests/data/advice_matrix.txt for the project's own
// profiles, advice_matrix_acceptance.txt beside it for those of other projects. A line is a profile
// and what fires on it; the lines that begin with "#" say why a finding of severity high on a
// mended or good profile is right. STEPSCOPE_UPDATE=1 writes the file.
namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Files that are opened together, by the name that the golden file gives them.
using Profiles = std::map<std::string, std::vector<std::string>>;

std::string WithoutCompression(std::string name) {
  for (const std::string_view end : {".gz", ".zst"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  return name;
}

// By the name and the place of a folder.
Profiles ProfilesIn(const std::map<std::string, std::string>& folders) {
  Profiles profiles;
  for (const auto& [shown, root] : folders) {
    for (const std::string& file : FilesBelow(root)) {
      const std::string name = WithoutCompression(shown + file.substr(root.size()));
      const auto ends = [&](std::string_view end) { return name.ends_with(end); };
      const bool run_metadata =
          fs::path(file).filename().string().starts_with("run_meta") || ends("run_meta.pb");
      const bool profile = ends(".json") || ends(".xplane.pb") || run_metadata;
      // What tfprof printed for a profile is none.
      const bool answer = ends("facts.json") || name.find("/cases/") != std::string::npos ||
                          name.find("/expected/") != std::string::npos;
      if (!profile || answer) continue;
      // The ranks of a job: name.r0.json …
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
  }
  return profiles;
}

Profiles OwnProfiles() {
  return ProfilesIn({{"examples", SourceFile("examples")},
                     {"h200", TestData("h200")},
                     {"rules", TestData("rules")},
                     {"tf", TestData("tf")},
                     {"tf_xplane", TestData("tf_xplane")}});
}

Profiles ProfilesOfOthers() {
  std::map<std::string, std::string> folders;
  for (const char* name : {"hta", "tb_plugin", "tfprof", "timelines", "tracelens", "xprof"}) {
    folders[name] = AcceptanceData(name);
  }
  return ProfilesIn(folders);
}

// The graph that lies beside a RunMetadata.
Given GraphBeside(const std::string& file) {
  Given beside;
  const size_t at = file.rfind("run_meta");
  if (at == std::string::npos || WithoutCompression(file).ends_with(".json")) return beside;
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

std::map<std::string, std::string> GoldenLines(const std::string& path,
                                               std::map<std::string, std::string>& why) {
  std::map<std::string, std::string> lines;
  std::ifstream file(path);
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

void CheckMatrix(const Profiles& profiles, const std::string& golden_file) {
  std::map<std::string, std::string> why;
  const std::map<std::string, std::string> golden = GoldenLines(golden_file, why);
  const bool update = std::getenv("STEPSCOPE_UPDATE") != nullptr;
  std::string written =
      "# Rule by profile: what fires, by severity; \"a < b\": b explains a. Lines that begin with "
      "#\n"
      "# say why a finding of severity high on a mended or good profile is right.\n";
  for (const auto& [name, files] : profiles) {
    TaskPool pool(2);
    const Result<Profile> opened = OpenProfile(files, {}, pool);
    if (!opened || opened->traces.empty()) {  // other JSON, or damaged on purpose
      const std::string line =
          name + ": not opened: " + (opened ? "" : InEnglish(opened.error().sentence));
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
  if (update) std::ofstream(golden_file) << written;
}

TEST(Matrix, EveryRuleOnEveryProfile) { CheckMatrix(OwnProfiles(), TestData("advice_matrix.txt")); }
TEST(MatrixAcceptance, EveryRuleOnEveryProfile) {
  CheckMatrix(ProfilesOfOthers(), TestData("advice_matrix_acceptance.txt"));
}

// With nothing changed the replay gives the step that was recorded: within 2 % at the median of all
// profiles. Where it is off by more than 5 % nothing is promised, and the finding says so.
void CheckReplay(const Profiles& profiles) {
  std::vector<double> errors;
  for (const auto& [name, files] : profiles) {
    TaskPool pool(2);
    const Result<Profile> opened = OpenProfile(files, {}, pool);
    if (!opened) continue;
    const AdvisedProfile advised = AdviseFiles(files);
    for (size_t t = 0; t < advised.advice.size(); ++t) {
      const LinkedTrace& linked = advised.linked[t];
      const ReplayOfSteps replay(linked);
      if (replay.step_count() == 0) continue;
      errors.push_back(replay.error());
      if (replay.error() <= ReplayOfSteps::kTolerated) continue;
      for (const Finding& finding : advised.advice[t].findings) {
        EXPECT_EQ(finding.saving.replay_lo.ns, 0) << name << ": " << finding.title.id();
        EXPECT_FALSE(finding.saving.replayed) << name << ": " << finding.title.id();
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

TEST(Matrix, ReplayGivesWhatWasRecorded) { CheckReplay(OwnProfiles()); }
TEST(MatrixAcceptance, ReplayGivesWhatWasRecorded) { CheckReplay(ProfilesOfOthers()); }

// Sentences that contradict what stands beside them, or that nobody can know.
constexpr std::array<std::string_view, 9> kNeverSaid{"replay gains nothing",
                                                     "nothing done to the model",
                                                     "step itself gets no shorter",
                                                     "not whole: only",
                                                     "(0.0 GB)",
                                                     "steady step gains nothing",
                                                     "nothing is promised",
                                                     "gone ",
                                                     "of these islands"};

std::string TextOf(const Finding& finding) {
  std::string text = Render(finding.title, Language::kEnglish);
  for (const Messages* part : {&finding.sentence, &finding.saving_note, &finding.fix}) {
    text += " | " + Render(*part, Language::kEnglish);
  }
  return text;
}

// Shares of a step, a profile or a device.
void CheckShares(const std::string& text) {
  static const std::regex kShare(R"(\((\d+(?:\.\d+)?) %|(\d+(?:\.\d+)?) % of (?:a|the) step)");
  for (std::sregex_iterator at(text.begin(), text.end(), kShare), end; at != end; ++at) {
    const std::string digits = (*at)[1].matched ? (*at)[1] : (*at)[2];
    EXPECT_LE(std::stod(digits), 100) << text;
  }
}

// The mean step as recorded, or the median where that is longer: nothing gives back more.
int64_t LongestStep(const LinkedTrace& linked, const Advice& advice) {
  int64_t sum = 0;
  int64_t used = 0;
  for (const Step& step : linked.steps.items) {
    if (!step.used()) continue;
    sum += step.duration.ns;
    ++used;
  }
  return std::max(advice.step.ns, used == 0 ? 0 : sum / used);
}

void CheckFramework(const std::string& framework, const std::string& text) {
  static const std::map<std::string, std::vector<std::string_view>> kOthers{
      {"PyTorch", {"tf.", "jax."}},
      {"TensorFlow", {"torch.", "jax."}},
      {"JAX", {"torch.", "tf.data", "tf.function"}},
      {"ONNX Runtime", {"torch.", "tf.", "jax."}}};
  const auto others = kOthers.find(framework);
  if (others == kOthers.end()) return;
  for (const std::string_view other : others->second) {
    EXPECT_FALSE(std::regex_search(text, std::regex("(^|[^a-z_])" + std::string(other))))
        << framework << ": " << text;
  }
}

void CheckSentences(const Profiles& profiles) {
  size_t findings = 0;
  for (const auto& [name, files] : profiles) {
    TaskPool pool(2);
    const Result<Profile> opened = OpenProfile(files, {}, pool);
    if (!opened) continue;
    const AdvisedProfile advised = AdviseFiles(files, GraphBeside(files.front()));
    for (size_t t = 0; t < advised.advice.size(); ++t) {
      const int64_t longest = LongestStep(advised.linked[t], advised.advice[t]);
      for (const Finding& finding : advised.advice[t].findings) {
        SCOPED_TRACE(name + ": " + std::string(finding.rule));
        ++findings;
        const std::string text = TextOf(finding);
        for (const std::string_view never : kNeverSaid) {
          EXPECT_EQ(text.find(never), std::string::npos) << text;
        }
        CheckShares(text);
        CheckFramework(advised.linked[t].trace.facts.framework,
                       Render(finding.fix, Language::kEnglish));
        const Saving& saving = finding.saving;
        EXPECT_LE(saving.lo, saving.hi) << text;
        EXPECT_LE(saving.lo, saving.replay_lo) << text;
        EXPECT_GE(saving.hi, saving.replay_hi) << text;
        EXPECT_LE(saving.hi.ns, longest) << text;
      }
    }
  }
  EXPECT_GT(findings, 0);
}

TEST(Matrix, NoSentenceContradictsAnother) {
  CheckSentences(OwnProfiles());
  CheckSentences(ProfilesIn({{"diagnosis", TestData("diagnosis")}, {"ranks", TestData("ranks")}}));
}
TEST(MatrixAcceptance, NoSentenceContradictsAnother) { CheckSentences(ProfilesOfOthers()); }

TEST(Matrix, GoodProfileHasNothingOfSeverityHigh) {
  const AdvisedProfile advised = AdviseFiles({TestData("h200/resnet50_good.pt.trace.json.zst")});
  for (const Finding& finding : advised.advice.front().findings) {
    EXPECT_NE(finding.severity, FindingSeverity::kHigh) << finding.title.id();
  }
}

}  // namespace
}  // namespace stepscope
