// Exports in the forms that people have: other versions, other options of nsys, cut down by hand or
// written again by other programs. Each begins as the export of export_writer.h and is changed by
// SQL.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/temp_dir.h"
#include "io/testing/write_database.h"
#include "read/nsys/testing/export_writer.h"
#include "read/open.h"

namespace stepscope {
namespace {

using testing::HasSubstr;

// The export as it is written: 30 rows of events, two of them without a start; two kernels of 600
// and 610 ns and a graph of 500 ns.
struct Variant {
  std::string name;
  std::string sql;
  uint64_t rows = 30;
  uint64_t diagnosed = 2;
  uint32_t kernels = 3;
  int64_t kernel_ns = 1710;
};

constexpr long long kThread = nsys::GlobalTid(11, 1), kProcess = nsys::GlobalTid(11, 0);

std::string Drop(std::initializer_list<const char*> tables) {
  std::string sql;
  for (const char* table : tables) sql += fmt::format("DROP TABLE {};", table);
  return sql;
}

std::string DropColumns(const char* table, std::initializer_list<const char*> columns) {
  std::string sql;
  for (const char* column : columns) {
    sql += fmt::format("ALTER TABLE {} DROP COLUMN \"{}\";", table, column);
  }
  return sql;
}

std::string Kernels(const char* set) {
  return fmt::format("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET {};", set);
}

// A table of calls as the published schema has it: MPI and UCX name their texts otherwise.
std::string Calls(const char* table, const char* name_column, const char* more, const char* value,
                  const char* rest) {
  return fmt::format(
      "CREATE TABLE {0}(start INTEGER, end INTEGER, globalTid INTEGER, {1} INTEGER{2});"
      "INSERT INTO {0} VALUES(1200,1250,{3},{4}{5});",
      table, name_column, more, kThread, value, rest);
}

constexpr const char* kKernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCallTable = "CUPTI_ACTIVITY_KIND_RUNTIME";

std::vector<Variant> WithoutTables() {
  return {
      {"as written", ""},
      {"no strings", Drop({"StringIds"})},
      {"no rows of strings", "DELETE FROM StringIds;"},
      {"nothing said about the export", Drop({"META_DATA_EXPORT"})},
      {"neither strings nor that", Drop({"META_DATA_EXPORT", "StringIds"})},
      {"nothing said about the capture", Drop({"META_DATA_CAPTURE"})},
      {"no GPUs", Drop({"TARGET_INFO_GPU", "TARGET_INFO_CUDA_DEVICE"})},
      {"no processes", Drop({"PROCESSES", "ThreadNames"})},
      {"no start", Drop({"TARGET_INFO_SESSION_START_TIME"})},
      {"no kernels", Drop({kKernelTable}), 27, 1, 1, 500},
      {"no calls", Drop({kCallTable}), 26},
      {"no ranges", Drop({"NVTX_EVENTS"}), 23, 1},
      {"no stacks of samples", Drop({"SAMPLING_CALLCHAINS"})},
      {"no files' names", Drop({"OSRT_FILE_ACCESS_DESCRIPTORS"})},
      {"no names of metrics", Drop({"TARGET_INFO_GPU_METRICS"})},
      {"kernels without rows", "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL;", 27, 1, 1, 500},
      {"each node of a graph",
       Drop({"CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}) + Kernels("graphNodeId = 77, graphId = 5") +
           Calls("CUDA_GRAPH_NODE_EVENTS", "nameId",
                 ", eventClass INTEGER, graphNodeId INTEGER, originalGraphNodeId INTEGER", "11",
                 ",1,77,76"),
       30, 2, 2, 1210},
  };
}

std::vector<Variant> WithoutColumns() {
  return {
      {"no globalPid", DropColumns(kKernelTable, {"globalPid"})},
      {"no correlationId", DropColumns(kKernelTable, {"correlationId"})},
      {"no deviceId", DropColumns(kKernelTable, {"deviceId"})},
      {"no streamId", DropColumns(kKernelTable, {"streamId"})},
      {"no end", DropColumns(kKernelTable, {"end"}), 30, 4, 1, 500},
      {"no demangledName", DropColumns(kKernelTable, {"demangledName"})},
      {"no name at all", DropColumns(kKernelTable, {"demangledName", "shortName"})},
      {"no sizes", DropColumns(kKernelTable, {"gridX", "gridY", "gridZ", "blockX", "blockY",
                                              "blockZ", "registersPerThread", "staticSharedMemory",
                                              "dynamicSharedMemory"})},
      {"calls without a thread", DropColumns(kCallTable, {"globalTid"})},
      {"calls without a name", DropColumns(kCallTable, {"nameId"})},
      {"ranges without a thread", DropColumns("NVTX_EVENTS", {"globalTid"})},
      {"ranges without text", DropColumns("NVTX_EVENTS", {"text"})},
      {"scheduling without states", DropColumns("SCHED_EVENTS", {"threadState"})},
      {"more columns", "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN qmdDone INTEGER;"},
      {"a column called rowid", "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN rowid INTEGER;"},
      {"another order of columns, no rowid",
       "CREATE TABLE k(shortName, demangledName, globalPid, end, start, correlationId, streamId,"
       " deviceId, id INTEGER PRIMARY KEY) WITHOUT ROWID;"
       "INSERT INTO k SELECT shortName, demangledName, globalPid, end, start, correlationId,"
       " streamId, deviceId, rowid FROM CUPTI_ACTIVITY_KIND_KERNEL;"
       "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; ALTER TABLE k RENAME TO "
       "CUPTI_ACTIVITY_KIND_KERNEL;"},
      {"kernels of one GPU and process more",
       fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId,"
                   " correlationId, globalPid, shortName) VALUES(3000,3100,1,7,200,{},3);",
                   kProcess),
       31, 2, 4, 1810},
  };
}

std::vector<Variant> OtherValues() {
  return {
      {"words for a start", Kernels("start = 'soon' WHERE start = 1300"), 30, 3, 2, 1110},
      {"text for numbers of times",
       "CREATE TABLE k(start TEXT, end TEXT, deviceId, streamId, correlationId, globalPid, "
       "shortName);"
       "INSERT INTO k SELECT start, end, deviceId, streamId, correlationId, globalPid, shortName "
       "FROM"
       " CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
       "ALTER TABLE k RENAME TO CUPTI_ACTIVITY_KIND_KERNEL;"},
      {"floating point for a start", Kernels("start = 1300.5 WHERE start = 1300")},
      {"bytes for a start", Kernels("start = x'0102' WHERE start = 1300"), 30, 3, 2, 1110},
      {"an infinite start", Kernels("start = 9e999 WHERE start = 1300"), 30, 3, 2, 1110},
      {"a length that overflows",
       Kernels("start = -9223372036854775807, end = 9223372036854775807 WHERE start = 1300"), 30, 3,
       2, 1110},
      {"an end before the start", Kernels("end = 1000 WHERE start = 1300"), 30, 2, 3, 1110},
      {"names as text", Kernels("demangledName = 'gemm_text'")},
      {"words for a process", Kernels("globalPid = 'x'")},
      {"negative numbers", Kernels("deviceId = -1, streamId = -1")},
      {"calls named in place",
       "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = 'cudaLaunchKernel_v7000';"},
      {"threads named in place", "UPDATE ThreadNames SET nameId = 'worker';"},
      {"words for the end of a range", "UPDATE NVTX_EVENTS SET end = 'later' WHERE start = 900;",
       30, 3},
      {"words for a switch", "UPDATE SCHED_EVENTS SET start = 'x' WHERE start = 1962;", 30, 3},
      {"words for a sample", "UPDATE COMPOSITE_EVENTS SET start = 'x';", 30, 3},
      {"words for a metric", "UPDATE GPU_METRICS SET timestamp = 'x';", 30, 3},
      {"words for a size", "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = 'many';"},
      {"words for the start of time",
       "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = 'yesterday';"},
      {"unified memory's copies", "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 11;"},
  };
}

std::vector<Variant> OtherTables() {
  return {
      {"MPI, collectives", Calls("MPI_COLLECTIVES_EVENTS", "textId", ", size INTEGER", "7", ",8"),
       31},
      {"MPI, point to point", Calls("MPI_P2P_EVENTS", "textId", ", tag INTEGER", "7", ",0"), 31},
      {"MPI, waits", Calls("MPI_START_WAIT_EVENTS", "textId", "", "7", ""), 31},
      {"UCX", Calls("UCP_SUBMIT_EVENTS", "textId", ", packedSize INTEGER", "7", ",8"), 31},
      {"OpenACC", Calls("OPENACC_LAUNCH_EVENTS", "nameId", ", srcFile INTEGER", "3", ",9"), 31},
      {"OpenMP, unnamed", Calls("OPENMP_EVENT_KIND_PARALLEL", "parallelId", "", "1", ""), 31},
      {"text of PyTorch", Calls("PYTORCH_EVENTS", "text", "", "'aten::mm'", ""), 31},
      {"page faults of unified memory",
       fmt::format(
           "CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS(start INTEGER, end INTEGER, globalPid"
           " INTEGER, deviceId INTEGER, numberOfPageFaults INTEGER);"
           "INSERT INTO CUDA_UM_GPU_PAGE_FAULT_EVENTS VALUES(1000,1100,{0},0,5);"
           "CREATE TABLE CUDA_UM_CPU_PAGE_FAULT_EVENTS(start INTEGER, globalPid INTEGER);"
           "INSERT INTO CUDA_UM_CPU_PAGE_FAULT_EVENTS VALUES(1000,{0}),('x',{0});",
           kProcess),
       33, 3},
      {"enumerations",
       "CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER, name TEXT);"
       "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES(1,'HTOD');"},
      {"a table that nobody knows",
       "CREATE TABLE NEWS(timestamp INTEGER, x INTEGER);"
       "INSERT INTO NEWS VALUES(1,2);"},
  };
}

std::string AllTextOf(const Trace& trace, const Diagnostics& diagnostics) {
  std::string all;
  for (uint32_t id = 0; id < trace.strings.size(); ++id) all += trace.strings[StringId{id}];
  for (const auto& entry : diagnostics.entries()) {
    for (const auto& example : entry.examples) all += InEnglish(example.text);
  }
  for (const auto& [key, value] : trace.facts.notes) all += key + value;
  return all;
}

void Check(const Variant& variant) {
  SCOPED_TRACE(variant.name);
  const TempDir folder;
  const std::string path = folder / "export.sqlite";
  WriteDatabase(path, nsys::ExportSql(true) + variant.sql);
  TaskPool pool(2);
  const Result<Profile> profile = OpenProfile({path}, {}, pool);
  ASSERT_TRUE(profile) << InEnglish(profile.error().sentence);
  const Trace& trace = profile->traces.front();
  EXPECT_EQ(trace.facts.format, Format::kNsys);
  EXPECT_EQ(trace.events.in_file, variant.rows);
  EXPECT_EQ(trace.events.diagnosed, variant.diagnosed);
  uint32_t kernels = 0;
  int64_t ns = 0;
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    EXPECT_FALSE(trace.Name(row).empty());
    if (trace.slices.kind[row] != Kind::kKernel) continue;
    ++kernels;
    ns += trace.slices.duration[row].ns;
  }
  EXPECT_EQ(kernels, variant.kernels);
  EXPECT_EQ(ns, variant.kernel_ns);
  const std::string all = AllTextOf(trace, profile->diagnostics.front());
  for (const char* secret : {"somebody", "secret", "TOKEN", "hidden"}) {
    EXPECT_THAT(all, Not(HasSubstr(secret)));
  }
}

TEST(NsysVariants, WithoutSomeTables) {
  for (const Variant& variant : WithoutTables()) Check(variant);
}

TEST(NsysVariants, WithoutSomeColumns) {
  for (const Variant& variant : WithoutColumns()) Check(variant);
}

TEST(NsysVariants, WithOtherValues) {
  for (const Variant& variant : OtherValues()) Check(variant);
}

TEST(NsysVariants, WithTablesOfOtherLibraries) {
  for (const Variant& variant : OtherTables()) Check(variant);
}

Profile Opened(const TempDir& folder, const std::string& sql) {
  const std::string path = folder / "export.sqlite";
  WriteDatabase(path, sql);
  TaskPool pool(1);
  Result<Profile> profile = OpenProfile({path}, {}, pool);
  if (!profile) throw std::runtime_error(InEnglish(profile.error().sentence));
  return std::move(*profile);
}

std::vector<std::string> NamesOf(const Trace& trace, Kind kind) {
  std::vector<std::string> names;
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    if (trace.slices.kind[row] == kind) names.emplace_back(trace.Name(row));
  }
  return names;
}

TEST(NsysVariants, CallsOfMpiAreNamedAndWaitForCommunication) {
  const TempDir folder;
  const Profile profile =
      Opened(folder, nsys::ExportSql(true) + "INSERT INTO StringIds VALUES(100,'MPI_Send');" +
                         Calls("MPI_P2P_EVENTS", "textId", ", tag INTEGER", "100", ",0"));
  const Trace& trace = profile.traces.front();
  EXPECT_THAT(NamesOf(trace, Kind::kOther), testing::Contains("MPI_Send"));
  EXPECT_TRUE(TraitsOf("MPI_Send").wait_communication);
}

// Metric 3 of one kind of GPU is not metric 3 of another.
TEST(NsysVariants, MetricsAreNamedForTheirGpu) {
  const TempDir folder;
  const Profile profile =
      Opened(folder, nsys::ExportSql(true) +
                         "INSERT INTO GPU_METRICS VALUES(1000,258,3,10.0);"
                         "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(258,3,'DRAM Bandwidth');");
  const Trace& trace = profile.traces.front();
  std::vector<std::string> names;
  for (const CounterSample& sample : trace.counters) {
    names.emplace_back(trace.strings[sample.name]);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("SMs Active [Throughput %]", "DRAM Bandwidth"));
}

// Correlation ids of one process need no process.
TEST(NsysVariants, OneProcessThatIsNotNamedLinks) {
  const TempDir folder;
  const Profile profile =
      Opened(folder, nsys::ExportSql(true) + Drop({"PROCESSES"}) +
                         DropColumns(kKernelTable, {"globalPid"}) +
                         "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start <> 1300;");
  const Trace& trace = profile.traces.front();
  const auto kernel = std::ranges::find_if(trace.device_args, [&](const DeviceArgs& args) {
    return trace.Name(args.slice) == "void gemm<128>(float*)";
  });
  ASSERT_NE(kernel, trace.device_args.end());
  EXPECT_NE(std::ranges::find(trace.call_args, (*kernel).correlation, &CallArgs::correlation),
            trace.call_args.end());
}

// Only calls of the C library: what is missing is said.
TEST(NsysVariants, WithoutAGpuTheReportSaysSo) {
  const TempDir folder;
  const Profile profile = Opened(
      folder, fmt::format("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                          "INSERT INTO StringIds VALUES(4,'poll');"
                          "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
                          "CREATE TABLE OSRT_API(start INTEGER, end INTEGER, globalTid INTEGER,"
                          " nameId INTEGER); INSERT INTO OSRT_API VALUES(10,20,{},4);",
                          kThread));
  EXPECT_EQ(profile.diagnostics.front().CountOf(Diagnostic::kNotRecorded), 1u);
}

}  // namespace
}  // namespace stepscope
