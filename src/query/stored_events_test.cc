// Rows of databases as the details pane shows them, against the rows that the tests wrote.
#include "query/stored_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "io/testing/write_database.h"
#include "read/nsys/testing/export_writer.h"
#include "read/perfetto/testing/packet_writer.h"
#include "read/rocpd/testing/rocpd_writer.h"
#include "study/study.h"

namespace stepscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The stored row of the slice that starts at this time of the file and has this duration.
std::string RowOf(const Study& study, int64_t duration_ns, std::string_view name) {
  const Trace& trace = study.trace(0);
  const StoredEvents events(study, 0);
  for (size_t i = 0; i < trace.slices.size(); ++i) {
    if (trace.slices.duration[i].ns != duration_ns) continue;
    if (trace.strings[trace.slices.name[i]] != name) continue;
    const Result<std::string> json = events.Json(trace.slices.event[i]);
    return json ? *json : InEnglish(json.error().sentence);
  }
  return "no such slice";
}

class StoredRows : public testing::Test {
 protected:
  const Study& Open(const std::string& sql) {
    const std::string path = folder_ / "profile.db";
    WriteDatabase(path, sql);
    Result<std::unique_ptr<Study>> study = Study::Open({path}, {.threads = 1});
    if (!study) throw std::runtime_error(InEnglish(study.error().sentence));
    study_ = std::move(*study);
    return *study_;
  }
  TempDir folder_;
  std::unique_ptr<Study> study_;
};

TEST_F(StoredRows, OfNsightSystems) {
  const Study& study = Open(nsys::ExportSql(true));
  // MEMCPY: 1000..1200, 4096 bytes, correlation 99; the graph: 2000..2500, correlation 102.
  const Trace& trace = study.trace(0);
  const StoredEvents events(study, 0);
  size_t copies = 0;
  for (size_t i = 0; i < trace.slices.size(); ++i) {
    const Result<std::string> json = events.Json(trace.slices.event[i]);
    ASSERT_TRUE(json) << InEnglish(json.error().sentence);
    EXPECT_THAT(*json, HasSubstr("\"table\""));
    if (json->find("CUPTI_ACTIVITY_KIND_MEMCPY") == std::string::npos) continue;
    ++copies;
    EXPECT_EQ(trace.slices.duration[i].ns, 200);
    EXPECT_THAT(*json, HasSubstr(R"("bytes": "4096")"));
    EXPECT_THAT(*json, HasSubstr(R"("correlationId": "99")"));
  }
  EXPECT_EQ(copies, 1u);
}

TEST_F(StoredRows, NumbersOfNamesBecomeNames) {
  const std::string row =
      RowOf(Open(rocpd::RocpdSql(rocpd::Schema::kTimesInRows)), 840, "gemm(float*)");
  EXPECT_THAT(row, HasSubstr("rocpd_kernel_dispatch"));
  EXPECT_THAT(row, HasSubstr(R"x("kernel_id": "gemm(float*)")x"));
  EXPECT_THAT(row, HasSubstr(R"("start": "2000")"));
  EXPECT_THAT(row, HasSubstr(R"("group_segment_size": "64")"));
}

TEST_F(StoredRows, OfRpd) {
  const Study& study = Open(rocpd::RpdSql());
  const Trace& trace = study.trace(0);
  const StoredEvents events(study, 0);
  for (size_t i = 0; i < trace.slices.size(); ++i) {
    const Result<std::string> json = events.Json(trace.slices.event[i]);
    ASSERT_TRUE(json) << InEnglish(json.error().sentence);
    EXPECT_THAT(*json, HasSubstr(R"("table": "rocpd_)"));
  }
}

TEST_F(StoredRows, NothingPrivateIsShown) {
  for (const std::string& sql :
       {nsys::ExportSql(true), rocpd::RocpdSql(rocpd::Schema::kTimesInRows)}) {
    const Study& study = Open(sql);
    const StoredEvents events(study, 0);
    for (uint32_t event = 0;; ++event) {
      const Result<std::string> json = events.Json(event);
      if (!json) break;
      EXPECT_THAT(*json, Not(HasSubstr("somebody")));
      EXPECT_THAT(*json, Not(HasSubstr("hidden")));
    }
    std::filesystem::remove(folder_ / "profile.db");
  }
}

TEST_F(StoredRows, AnEventThatIsGone) {
  const Study& study = Open(rocpd::RpdSql());
  const Result<std::string> json = StoredEvents(study, 0).Json(1'000'000);
  ASSERT_FALSE(json);
  EXPECT_EQ(InEnglish(json.error().sentence), "The file no longer holds this event.");
}

// Names by number, values of every type, and a number that means something else after the state of
// the sequence was cleared.
TEST_F(StoredRows, OfPerfettosPackets) {
  using namespace perfetto;
  const auto name = [](uint64_t iid, std::string_view text) {
    return ProtoMessage().Add(kInternedAnnotationName,
                              ProtoMessage().Number(kIid, iid).Text(kText, text));
  };
  const auto slice = [](uint64_t from, uint64_t to, const ProtoMessage& interned,
                        const ProtoMessage& begin) {
    return PacketBytes(At(from)
                           .Number(kPacketSequenceFlags, kStateCleared)
                           .Add(kPacketInterned, interned)
                           .Add(kPacketTrackEvent, begin)) +
           PacketBytes(
               At(to).Add(kPacketTrackEvent,
                          ProtoMessage().Number(kEventType, kSliceEnd).Number(kEventTrack, 5)));
  };
  const auto begin = [](std::string_view called) {
    return ProtoMessage()
        .Number(kEventType, kSliceBegin)
        .Number(kEventTrack, 5)
        .Text(kEventName, called);
  };
  const auto dict =
      ProtoMessage()
          .Text(kAnnotationName, "shape")
          .Add(kAnnotationDictEntry,
               ProtoMessage().Text(kAnnotationName, "rows").Number(kAnnotationUint, 3))
          .Add(kAnnotationDictEntry,
               ProtoMessage()
                   .Text(kAnnotationName, "list")
                   .Add(kAnnotationArrayItem, ProtoMessage().Number(kAnnotationInt, 4))
                   .Add(kAnnotationArrayItem, ProtoMessage().Text(kAnnotationString, "x")));
  const std::string bytes =
      slice(1000, 1010, name(7, "first"),
            begin("a")
                .Add(kEventAnnotation,
                     ProtoMessage().Number(kAnnotationNameIid, 7).Number(kAnnotationBool, 1))
                .Add(kEventAnnotation, dict)) +
      slice(2000, 2020, name(7, "second"),
            begin("b").Add(
                kEventAnnotation,
                ProtoMessage().Number(kAnnotationNameIid, 7).Real(kAnnotationDouble, 0.5)));
  const std::string path = folder_ / "t.pftrace";
  std::ofstream(path, std::ios::binary) << bytes;
  Result<std::unique_ptr<Study>> study = Study::Open({path}, {.threads = 1});
  ASSERT_TRUE(study) << InEnglish(study.error().sentence);
  const std::string a = RowOf(**study, 10, "a");
  EXPECT_THAT(a, HasSubstr(R"("first": true)"));
  EXPECT_THAT(a, HasSubstr(R"("shape": {"rows": 3, "list": [4, "x"]})"));
  EXPECT_THAT(RowOf(**study, 20, "b"), HasSubstr(R"("debug": {"second": 0.5})"));
}

TEST_F(StoredRows, WithTheExecutionTraceOfTheSameRun) {
  Result<std::unique_ptr<Study>> study =
      Study::Open({TestData("h200/et_linked.pt.trace.json.zst"),
                   TestData("h200/et_linked.execution_trace.json.zst")},
                  {.threads = 1});
  ASSERT_TRUE(study) << InEnglish(study.error().sentence);
  // The first aten::addmm, as both files have it.
  const std::string json = RowOf(**study, 60'648'924, "aten::addmm");
  EXPECT_THAT(json, HasSubstr(R"("execution_trace":{"node":17)"));
  EXPECT_THAT(json, HasSubstr(R"([5,6,0,4096,4,"cuda:0"])"));
  EXPECT_THAT(json, HasSubstr(R"("output_shapes":[[32,128]])"));
}

}  // namespace
}  // namespace stepscope
