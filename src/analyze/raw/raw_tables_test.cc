#include "analyze/raw/raw_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "analyze/testing/analyzed.h"
#include "analyze/testing/real_trace.h"

namespace stepscope::tables {
namespace {

using ::testing::ElementsAre;

// A column as text, null as "-".
std::vector<std::string> Column(const TraceRows& rows, std::string_view table,
                                std::string_view name) {
  const RawTable* found = FindRawTable(table);
  if (found == nullptr) return {"no such table"};
  const RowSource source = found->Rows(rows);
  std::vector<std::string> values;
  for (const tables::Column& column : found->facts.columns) {
    if (column.name != name) continue;
    for (uint32_t i = 0; i < source.count; ++i) {
      std::string scratch;
      const Cell cell = column.cell(source, i, scratch);
      const bool text = cell.type == CellType::kText || cell.type == CellType::kName;
      values.push_back(cell.null                      ? "-"
                       : text                         ? std::string(cell.text)
                       : cell.type == CellType::kReal ? fmt::format("{}", cell.real)
                                                      : fmt::format("{}", cell.integer));
    }
  }
  return values;
}

struct Drawn {
  Analyzed analyzed;
  TraceRows rows;

  explicit Drawn(std::string_view text)
      : analyzed(AnalyzeText(text)), rows(analyzed.linked, analyzed.report, 3) {}
};

constexpr std::string_view kOneStep = R"(
    main    step:ProfilerStep#1 0..100   aten::mm 10..40 ext=5 seq=9 dims=[[2,3]]   launch#1 12..14
    gpu:0   gemm#1 20..60   Memcpy_HtoD#2 60..70 bytes=4096
    memory gpu:0  +512@10 -512@20
    flow fwdbwd#7  main@11 gpu:0@30
  )";

TEST(RawTables, Slices) {
  const Drawn d(kOneStep);
  // In the order of tracks: the marker, the op, the call, the kernel, the copy.
  EXPECT_THAT(Column(d.rows, "slice", "name"),
              ElementsAre("ProfilerStep#1", "aten::mm", "cudaLaunchKernel", "gemm", "Memcpy_HtoD"));
  EXPECT_THAT(Column(d.rows, "slice", "ts"), ElementsAre("0", "10", "12", "20", "60"));
  EXPECT_THAT(Column(d.rows, "slice", "end_ts"), ElementsAre("100", "40", "14", "60", "70"));
  EXPECT_THAT(Column(d.rows, "slice", "parent_id"), ElementsAre("-", "0", "1", "-", "-"));
  EXPECT_THAT(Column(d.rows, "slice", "track_id"), ElementsAre("0", "0", "0", "1", "1"));
  EXPECT_THAT(Column(d.rows, "slice", "category"),
              ElementsAre("step", "framework_op", "runtime_call", "kernel", "memcpy"));
  EXPECT_THAT(Column(d.rows, "slice", "trace_id"), ElementsAre("3", "3", "3", "3", "3"));
  // 100 - 30, 30 - 2; the kernel's 40 ns belong to the call, the op and the step.
  EXPECT_THAT(Column(d.rows, "slice", "self_dur"), ElementsAre("70", "28", "2", "40", "10"));
  EXPECT_THAT(Column(d.rows, "slice", "device_ns"), ElementsAre("40", "40", "40", "0", "0"));
}

TEST(RawTables, OpsCallsAndDeviceWork) {
  const Drawn d(kOneStep);
  EXPECT_THAT(Column(d.rows, "op", "slice_id"), ElementsAre("1"));
  EXPECT_THAT(Column(d.rows, "op", "external_id"), ElementsAre("5"));
  EXPECT_THAT(Column(d.rows, "op", "sequence"), ElementsAre("9"));
  EXPECT_THAT(Column(d.rows, "op", "fwd_thread"), ElementsAre("-"));
  EXPECT_THAT(Column(d.rows, "op", "input_dims"), ElementsAre("[[2,3]]"));
  EXPECT_THAT(Column(d.rows, "call", "correlation"), ElementsAre("1"));
  EXPECT_THAT(Column(d.rows, "call", "op_slice_id"), ElementsAre("1"));
  EXPECT_THAT(Column(d.rows, "call", "queue_delay_ns"), ElementsAre("6"));  // 20 - 14
  EXPECT_THAT(Column(d.rows, "kernel", "launch_slice_id"), ElementsAre("2", "-"));
  EXPECT_THAT(Column(d.rows, "kernel", "op_slice_id"), ElementsAre("1", "-"));
  EXPECT_THAT(Column(d.rows, "kernel", "bytes"), ElementsAre("-", "4096"));
  EXPECT_THAT(Column(d.rows, "kernel", "stream"), ElementsAre("7", "7"));
}

TEST(RawTables, TheRest) {
  const Drawn d(kOneStep);
  EXPECT_THAT(Column(d.rows, "memory", "bytes"), ElementsAre("512", "-512"));
  EXPECT_THAT(Column(d.rows, "memory", "device"), ElementsAre("gpu:0", "gpu:0"));
  EXPECT_THAT(Column(d.rows, "flow", "slice_out"), ElementsAre("1"));
  EXPECT_THAT(Column(d.rows, "flow", "slice_in"), ElementsAre("3"));
  EXPECT_THAT(Column(d.rows, "step", "name"), ElementsAre("ProfilerStep#1"));
  EXPECT_THAT(Column(d.rows, "thread", "is_main_thread").size(), 1u);
  EXPECT_THAT(Column(d.rows, "track", "utid"), ElementsAre("0", "-"));
  EXPECT_THAT(Column(d.rows, "trace", "trace_id"), ElementsAre("3"));
  // Every nanosecond of the step in which the device idles: 0..20 and 70..100.
  int64_t idle = 0;
  for (const std::string& length : Column(d.rows, "idle", "dur")) idle += std::stoll(length);
  EXPECT_EQ(idle, 20 + 30);
}

TEST(RawTables, EveryJoinLeadsToAColumn) {
  std::set<std::string> known{"args.arg_set_id"};  // read from the file when it is asked for
  for (const RawTable& table : RawTables()) {
    for (const tables::Column& column : table.facts.columns) {
      known.insert(fmt::format("{}.{}", table.facts.name, column.name));
      EXPECT_FALSE(column.meaning.en.empty() || column.meaning.zh.empty()) << column.name;
    }
  }
  for (const RawTable& table : RawTables()) {
    for (const tables::Column& column : table.facts.columns) {
      if (column.joins.empty()) continue;
      EXPECT_TRUE(known.contains(std::string(column.joins))) << column.joins;
    }
  }
}

// Single cells, stretches and borrowed memory say the same of a real profile.
TEST(RawTables, AllWaysOfReadingAgree) {
  const RealReport real = ReportOf(Example("resnet50_inputbound.pt.trace.json.gz"));
  const TraceRows rows(real.linked, real.report);
  EXPECT_EQ(FindRawTable("kernel")->Rows(rows).count, 4008u);  // grep -c of the file's categories
  EXPECT_EQ(FindRawTable("slice")->Rows(rows).count, real.trace().slices.size());
  for (const RawTable& table : RawTables()) {
    const RowSource source = table.Rows(rows);
    const uint32_t count = std::min<uint32_t>(source.count, 500);
    for (const tables::Column& column : table.facts.columns) {
      ColumnValues values;
      column.fill(source, source.count - count, count, values);
      for (uint32_t i = 0; i < count; ++i) {
        std::string scratch;
        const Cell cell = column.cell(source, source.count - count + i, scratch);
        const std::string where = fmt::format("{}.{}", table.facts.name, column.name);
        ASSERT_EQ(cell.null, !values.valid.empty() && values.valid[i] == 0) << where;
        if (cell.null) continue;
        switch (column.type) {
          case CellType::kInt:
            ASSERT_EQ(cell.integer, values.integers[i]) << where;
            break;
          case CellType::kBool:
            ASSERT_EQ(cell.integer, values.truths[i]) << where;
            break;
          case CellType::kReal:
            ASSERT_EQ(cell.real, values.reals[i]) << where;
            break;
          case CellType::kName:
            ASSERT_EQ(cell.integer, Index(values.names[i])) << where;
            break;
          default:
            ASSERT_EQ(cell.text, values.texts[i]) << where;
        }
      }
      if (column.borrow == nullptr) continue;
      EXPECT_EQ(column.borrow(source).rows, source.count) << column.name;
    }
  }
}

}  // namespace
}  // namespace stepscope::tables
