// Every stored answer of TensorFlow's profiler, byte for byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "command/testing/run_verb.h"
#include "command/verb.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string Tfprof(const std::string& path) { return SourceFile("tests/tfprof" + path); }

class Case {
 public:
  Case(const fs::path& file, const std::string& scratch)
      : folder_(file.parent_path().parent_path()),
        json_(*ParseJson(Content(file.string()))),
        name_(file.stem().string()),
        out_(scratch + "/out") {}

  // What is different, or empty.
  std::string Check() const {
    for (const fs::directory_entry& old : fs::directory_iterator(fs::path(out_).parent_path())) {
      fs::remove(old.path());
    }
    const Ran ran = RunVerb(RunView, Words());
    const std::map<std::string, std::string> got = Outputs(ran);
    if (json_["expect"].items().empty() && ran.err.empty()) return "no message on standard error";
    std::map<std::string, std::string> wanted;
    for (const JsonValue& answer : json_["expect"].items()) {
      std::string suffix = answer.text().substr(name_.size());
      if (suffix.ends_with(".pbtxt")) continue;
      if (suffix.ends_with(".gz")) suffix.resize(suffix.size() - 3);
      wanted[suffix] = Content((folder_ / "cases" / answer.text()).string());
    }
    return got == wanted ? "" : "the output is different: " + ran.err;
  }

 private:
  std::string kind() const { return json_["kind"].text(); }

  std::string PathOf(const JsonValue& value) const { return (folder_ / value.text()).string(); }

  static std::string TextOf(const JsonValue& value) {
    switch (value.kind()) {
      case JsonValue::Kind::kBool:
        return value.AsBool() ? "true" : "false";
      case JsonValue::Kind::kArray: {
        std::string list;
        for (const JsonValue& item : value.items()) {
          list += (list.empty() ? "" : ",") + item.text();
        }
        return list;
      }
      default:
        return value.text();
    }
  }

  std::vector<std::string> Words() const {
    std::vector<std::string> words{json_["view"].text()};
    const JsonValue& inputs = json_["inputs"];
    for (const char* input : {"profile", "graph", "op_log", "checkpoint"}) {
      if (inputs[input].is_null()) continue;
      words.push_back(std::string("--") + input + "_path=" + PathOf(inputs[input]));
    }
    std::string runs;
    for (const JsonValue& run : inputs["run_meta"].items()) {
      runs += (runs.empty() ? "" : ",") + PathOf(run);
    }
    if (!runs.empty()) words.push_back("--run_meta_path=" + runs);
    if (kind() == "advise") return words;
    for (const auto& [key, value] : json_["options"].members()) {
      words.push_back("-" + key + "=" + TextOf(value));
    }
    const std::string type = kind() == "text" ? "file" : kind();
    words.push_back("-output=" + (type == "stdout" ? type : type + ":outfile=" + out_));
    return words;
  }

  std::map<std::string, std::string> Outputs(const Ran& ran) const {
    if (kind() == "stdout" || kind() == "advise") return {{".txt", ran.out}};
    std::map<std::string, std::string> outputs;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(out_).parent_path())) {
      const std::string suffix = entry.path().filename().string().substr(3);  // after "out"
      const std::string key = kind() == "timeline" ? "." + suffix.substr(1) + ".json"
                              : kind() == "pprof"  ? ".pprof"
                                                   : ".txt";
      outputs[key] = Content(entry.path().string());
    }
    return outputs;
  }

  fs::path folder_;
  JsonValue json_;
  std::string name_;
  std::string out_;
};

void CheckAll(const std::string& root, size_t expected) {
  const TempDir scratch;
  size_t count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("case_") || !name.ends_with(".json")) continue;
    if (name.find('.') != name.rfind('.')) continue;  // an answer
    ++count;
    const std::string fault = Case(entry.path(), scratch.path()).Check();
    EXPECT_EQ(fault, "") << entry.path();
  }
  EXPECT_EQ(count, expected);
}

TEST(TfprofCases, CommittedOnesAreEqual) { CheckAll(Tfprof(""), 60); }

TEST(TfprofCases, AllAreEqual) { CheckAll(TestData("tf"), 696); }

void CheckTimelines(const std::string& root, size_t least) {
  const TempDir scratch;
  const std::string out = scratch / "timeline_py.json";
  size_t count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().parent_path().filename() != "timeline_py") continue;
    // <run_meta>.flow<0|1>.mem<0|1>.<op_time>.json, and .gz in some folders
    std::string name = entry.path().filename().string();
    name.resize(name.rfind(".json"));
    const size_t flow = name.find(".flow");
    const fs::path model = entry.path().parent_path().parent_path();
    fs::path run = model / (name.substr(0, flow) + ".pb");
    if (!fs::exists(run)) run += ".gz";
    ASSERT_TRUE(fs::exists(run)) << run;
    ++count;
    const Ran ran = RunVerb(RunTimeline, {run.string(), "-o", out, "--compat", "timeline.py",
                                          std::string("--dataflow=") + name[flow + 5],
                                          std::string("--memory=") + name[name.find(".mem") + 4],
                                          "--op-time=" + name.substr(name.rfind('.') + 1)});
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_TRUE(Content(out) == Content(entry.path().string())) << entry.path();
  }
  EXPECT_GE(count, least);
}

TEST(TimelinePy, CommittedOnesAreEqual) { CheckTimelines(Tfprof(""), 1); }

TEST(TimelinePy, AllAreEqual) { CheckTimelines(TestData("tf"), 24); }

TEST(View, OptionsInAnyForm) {
  const std::string graph = Tfprof("/conv/graph.pb.gz");
  const std::vector<std::vector<std::string>> forms{
      {"scope", "--graph_path=" + graph, "-max_depth=2", "-select=params", "-output=stdout"},
      {"scope", "--graph-path", graph, "--max-depth", "2", "--select", "params", "--output",
       "stdout"},
      {"-max_depth", "2", "scope", "-graph_path", graph, "-select='params'", "-output", "stdout"}};
  const std::string first = RunVerb(RunView, forms[0]).out;
  EXPECT_NE(first.find("_TFProfRoot (--/"), std::string::npos);
  for (const auto& form : forms) EXPECT_EQ(RunVerb(RunView, form).out, first);
}

TEST(View, WrongOptionsSayWhatIsMeant) {
  const std::string graph = "--graph_path=" + Tfprof("/conv/graph.pb.gz");
  const Ran unknown = RunVerb(RunView, {"scope", graph, "-max_dept=2"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("did you mean -max_depth?"), std::string::npos);
  const Ran number = RunVerb(RunView, {"scope", graph, "-max_depth=x"});
  EXPECT_EQ(number.status, 2);
  EXPECT_NE(number.err.find("Invalid option '-max_depth' value: 'x'"), std::string::npos);
  const Ran column = RunVerb(RunView, {"scope", graph, "-select=micro"});
  EXPECT_EQ(column.status, 0);
  EXPECT_NE(column.err.find("did you mean micros?"), std::string::npos);
  const Ran regex = RunVerb(RunView, {"scope", graph, "-show_name_regexes=(x"});
  EXPECT_EQ(regex.status, 0);
  EXPECT_NE(regex.err.find("missing )"), std::string::npos);
  const Ran step = RunVerb(RunView, {"scope", graph, "-step=7"});
  EXPECT_EQ(step.status, 2);
  EXPECT_NE(step.err.find("Options -step=7 not found.\nAvailable steps:"), std::string::npos);
  EXPECT_EQ(RunVerb(RunView, {"scope", graph, "-output=paper"}).status, 2);
  EXPECT_EQ(RunVerb(RunView, {"scope", graph, "-output=file"}).status, 2);
  EXPECT_EQ(RunVerb(RunView, {"scope", "--graph_path=/nowhere/graph.pb"}).status, 1);
}

TEST(View, DirectoriesAreLookedInto) {
  const Ran ran = RunVerb(RunView, {"scope", Tfprof("/conv"), "--json", "-select=params,micros"});
  EXPECT_EQ(ran.status, 0);
  const auto json = ParseJson(ran.out);
  ASSERT_TRUE(json) << ran.out.substr(0, 200);
  EXPECT_EQ((*json)["schema"].text(), "stepscope.view/1");
  EXPECT_EQ((*json)["rows"][0]["name"].text(), "_TFProfRoot");
  EXPECT_GT((*json)["rows"][0]["total_micros"].AsInt(), 0);
}

// Sum against clock: the union over all ops is no longer than their sum, and no shorter than the
// longest.
TEST(View, WallIsTheUnion) {
  const std::vector<std::string> words{"scope", Tfprof("/conv"), "--json", "-step=0"};
  std::vector<std::string> wall = words;
  wall.emplace_back("--wall");
  const auto sum = ParseJson(RunVerb(RunView, words).out);
  const auto clock = ParseJson(RunVerb(RunView, wall).out);
  ASSERT_TRUE(sum && clock);
  const int64_t total = (*sum)["rows"][0]["total_micros"].AsInt();
  const int64_t on_the_clock = (*clock)["rows"][0]["total_micros"].AsInt();
  EXPECT_LE(on_the_clock, total);
  EXPECT_GT(on_the_clock, 0);
}

}  // namespace
}  // namespace stepscope
