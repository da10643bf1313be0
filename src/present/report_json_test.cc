#include "present/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "present/testing/json_schema.h"
#include "present/testing/sample_report.h"

namespace stepscope {
namespace {

using ::testing::IsEmpty;

JsonValue Parsed(std::string_view text) {
  Result<JsonValue> value = ParseJson(text);
  EXPECT_TRUE(value) << "no JSON at byte " << (value ? 0 : value.error().offset.value_or(0));
  return value ? *value : JsonValue();
}

const JsonValue& Schema() {
  static const JsonValue kSchema = [] {
    std::ifstream file(SourceFile("docs/report.schema.json"));
    std::stringstream text;
    text << file.rdbuf();
    return Parsed(text.str());
  }();
  return kSchema;
}

JsonValue WrittenAs(std::span<const Reported> reports) {
  std::string out;
  WriteReportsJson(reports, out);
  EXPECT_TRUE(out.ends_with("}\n"));
  return Parsed(out);
}

TEST(ReportJson, FollowsTheSchema) {
  const SampleReport sample = MakeSampleReport();
  const Reported reported = sample.reported();
  EXPECT_THAT(SchemaComplaints(Schema(), WrittenAs({{reported}})), IsEmpty());
}

TEST(ReportJson, SeveralAreReports) {
  const SampleReport sample = MakeSampleReport();
  const Reported reported = sample.reported();
  const JsonValue json = WrittenAs({{reported, reported}});
  EXPECT_EQ(json["schema"].text(), "stepscope.reports/1");
  EXPECT_EQ(json["reports"].items().size(), 2u);
  EXPECT_THAT(SchemaComplaints(Schema(), json), IsEmpty());
}

TEST(ReportJson, AnEmptyReportIsValidToo) {
  const Trace trace;
  const LinkedTrace linked(trace);
  const Report report;
  const JsonValue json = WrittenAs({{Reported{&linked, &report}}});
  EXPECT_THAT(SchemaComplaints(Schema(), json), IsEmpty());
  EXPECT_TRUE(json["steps"]["median_ns"].is_null());
  EXPECT_TRUE(json["launches"]["median_call_ns"].is_null());
  EXPECT_TRUE(json["communication"].is_null());
  EXPECT_TRUE(json["profile"]["framework"].is_null());
  EXPECT_EQ(json["verdict"]["bound_by"].text(), "unknown");
}

TEST(ReportJson, SaysWhatTheReportHolds) {
  const SampleReport sample = MakeSampleReport();
  const JsonValue json = WrittenAs({{sample.reported()}});
  EXPECT_EQ(json["schema"].text(), "stepscope.report/1");
  EXPECT_EQ(json["profile"]["start_unix_ns"].text(), "1760000000000000001");
  EXPECT_EQ(json["profile"]["events"]["stored"].AsInt(), 61'230);
  EXPECT_EQ(json["profile"]["devices"][size_t{0}]["id"].text(), "gpu:0");
  const JsonValue& step = json["steps"]["items"][size_t{1}];
  EXPECT_EQ(step["why_unused"].text(), "cut");
  EXPECT_EQ(step["devices"][size_t{0}]["idle_ns"].AsInt(), 76'700'000);
  EXPECT_EQ(json["ops_by_shape"][size_t{0}]["input_shapes"].items().size(), 2u);
  EXPECT_EQ(json["idle_causes"][size_t{0}]["example"].text(), "enumerate(DataLoader)#__next__");
  EXPECT_EQ(json["verdict"]["sentence"].text(),
            "Waiting for input takes 50.0 % of the median step (ProfilerStep#1, gpu:0).");
  EXPECT_EQ(json["quality"][size_t{0}]["examples"][size_t{0}]["offset"].AsInt(), 1'234);
}

TEST(SchemaComplaints, FindsWhatIsWrong) {
  const JsonValue schema = Parsed(
      R"({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1},
          "b": {"enum": ["x", null]}}, "required": ["a"], "additionalProperties": false})");
  EXPECT_THAT(SchemaComplaints(schema, Parsed(R"({"a": 1, "b": null})")), IsEmpty());
  EXPECT_EQ(SchemaComplaints(schema, Parsed(R"({"a": 0})")).size(), 1u);
  EXPECT_EQ(SchemaComplaints(schema, Parsed(R"({"a": 1.5})")).size(), 1u);
  EXPECT_EQ(SchemaComplaints(schema, Parsed(R"({"b": "y"})")).size(), 2u);
  EXPECT_EQ(SchemaComplaints(schema, Parsed(R"({"a": 1, "c": 1})")).size(), 1u);
  EXPECT_EQ(SchemaComplaints(Parsed(R"({"pattern": "x"})"), Parsed("1")).size(), 1u);
}

TEST(IsShapeList, OnlyNestedListsOfWholeNumbers) {
  for (const char* yes : {"[]", "[[64,1024],[]]", "[0,-1]", "[[[1]]]"}) {
    EXPECT_TRUE(IsShapeList(yes)) << yes;
  }
  for (const char* no : {"", "1", "[1,]", "[,1]", "[1 2]", "[[1]", "[1]]", "[\"a\"]", "[01]", "[-]",
                         "[1.5]", "[][]", "[1[2]]"}) {
    EXPECT_FALSE(IsShapeList(no)) << no;
  }
}

}  // namespace
}  // namespace stepscope
