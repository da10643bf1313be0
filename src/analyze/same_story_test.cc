// One program, two profilers: a recording of PyTorch's own profiler is written again as an export
// of Nsight Systems, by the published schema. Both have to give the same report.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "analyze/testing/real_trace.h"
#include "base/testing/temp_dir.h"
#include "io/testing/write_database.h"

namespace stepscope {
namespace {

constexpr int64_t kPid = 4242;
constexpr int64_t kGlobalPid = kPid << 24;

int64_t MemoryKind(std::string_view name) {
  return name.starts_with("Pageable") ? 0 : name.starts_with("Pinned") ? 1 : 2;
}

// SQL that writes a trace as nsys exports it.
class ExportOf {
 public:
  explicit ExportOf(const Trace& trace) : trace_(trace) {
    for (uint32_t row = 0; row < trace.slices.size(); ++row) Add(row);
  }
  std::string Sql() const {
    std::string strings = "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);";
    for (const auto& [text, id] : ids_) {
      strings += fmt::format("INSERT INTO StringIds VALUES({},'{}');", id, Quoted(text));
    }
    return strings +
           "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
           "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);" +
           fmt::format("INSERT INTO PROCESSES VALUES({},{},'python3');", kGlobalPid, kPid) +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
           " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER,"
           " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, copyKind INTEGER,"
           " srcKind INTEGER, dstKind INTEGER);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER,"
           " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, memKind INTEGER);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER,"
           " correlationId INTEGER, nameId INTEGER);"
           "CREATE TABLE PROFILER_OVERHEAD(start INTEGER, end INTEGER, globalTid INTEGER,"
           " nameId INTEGER);"
           "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
           " globalTid INTEGER);" +
           rows_;
  }

 private:
  static std::string Quoted(std::string_view text) {
    std::string quoted;
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted;
  }
  size_t IdOf(std::string text) {
    return ids_.try_emplace(std::move(text), ids_.size() + 1).first->second;
  }
  int64_t ThreadOf(uint32_t row) const {
    const Track& track = trace_.tracks[Index(trace_.TrackOf(row))];
    return kGlobalPid | (std::atoll(track.key.c_str()) & 0xffffff);
  }

  void Add(uint32_t row) {
    const int64_t start = trace_.slices.start[row].ns, end = trace_.slices.end(row).ns;
    const std::string name(trace_.Name(row));
    switch (trace_.slices.kind[row]) {
      case Kind::kKernel:
      case Kind::kCollective:
        return Device(row, "KERNEL", fmt::format("{}", IdOf(name)));
      case Kind::kCopy: {
        const size_t from = name.find('(') + 1, to = name.find("-> ") + 3;
        const int kind = name.contains("HtoD") ? 1 : name.contains("DtoH") ? 2 : 8;
        return Device(row, "MEMCPY",
                      fmt::format("{},{},{}", kind, MemoryKind(name.substr(from)),
                                  MemoryKind(name.substr(to))));
      }
      case Kind::kMemset:
        return Device(row, "MEMSET", "2");
      case Kind::kCall:
        rows_ +=
            fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES({},{},{},{},{});", start,
                        end, ThreadOf(row), trace_.call_args[trace_.slices.args[row]].correlation,
                        IdOf(name + "_v7000"));
        return;
      case Kind::kOp:
        return Range(row, fmt::format("{}, op_id = {}", name, row));
      case Kind::kAnnotation:
      case Kind::kStep:
      case Kind::kInput:
        return Range(row, name);
      case Kind::kOverhead:
        rows_ += fmt::format("INSERT INTO PROFILER_OVERHEAD VALUES({},{},{},{});", start, end,
                             ThreadOf(row), IdOf(name));
        return;
      default:
        return;
    }
  }
  void Device(uint32_t row, const char* table, const std::string& own) {
    const DeviceArgs& args = trace_.DeviceOf(row);
    rows_ += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_{} VALUES({},{},{},{},{},{},{});", table,
                         trace_.slices.start[row].ns, trace_.slices.end(row).ns, args.device,
                         args.stream, args.correlation, kGlobalPid, own);
  }
  void Range(uint32_t row, const std::string& text) {
    rows_ += fmt::format("INSERT INTO NVTX_EVENTS VALUES({},{},59,'{}',{});",
                         trace_.slices.start[row].ns, trace_.slices.end(row).ns, Quoted(text),
                         ThreadOf(row));
  }

  const Trace& trace_;
  std::map<std::string, size_t> ids_;
  std::string rows_;
};

using Rows = std::map<std::pair<std::string, std::string>, std::pair<uint64_t, int64_t>>;

Rows KernelsOf(const RealReport& real) {
  Rows rows;
  for (const KernelRow& row : real.report.kernels) {
    rows[{real.DeviceName(row.device), std::string(real.Name(row.name))}] = {row.calls,
                                                                             row.total.ns};
  }
  return rows;
}

std::map<Cause, int64_t> CausesOf(const RealReport& real) {
  std::map<Cause, int64_t> causes;
  for (const IdleCause& cause : real.report.idle_causes) causes[cause.cause] += cause.total.ns;
  return causes;
}

void Compare(const std::string& path) {
  SCOPED_TRACE(path);
  const RealReport kineto = ReportOf(path);
  const TempDir folder;
  const std::string copy = folder / "report1.sqlite";
  WriteDatabase(copy, ExportOf(kineto.trace()).Sql());
  const RealReport nsys = ReportOf(copy);
  ASSERT_EQ(nsys.trace().facts.format, Format::kNsys);

  EXPECT_EQ(KernelsOf(nsys), KernelsOf(kineto));
  EXPECT_EQ(nsys.linked.links.linked_by_correlation, kineto.linked.links.linked_by_correlation);
  ASSERT_EQ(nsys.linked.steps.items.size(), kineto.linked.steps.items.size());
  EXPECT_EQ(nsys.report.verdict.bound_by, kineto.report.verdict.bound_by);
  ASSERT_EQ(nsys.report.breakdown.size(), kineto.report.breakdown.size());
  for (size_t step = 0; step < nsys.report.breakdown.size(); ++step) {
    const StepBreakdown& one = nsys.report.breakdown[step];
    const StepBreakdown& other = kineto.report.breakdown[step];
    ASSERT_EQ(one.devices.size(), other.devices.size());
    for (size_t device = 0; device < one.devices.size(); ++device) {
      EXPECT_EQ(one.devices[device].compute.ns, other.devices[device].compute.ns) << step;
      EXPECT_EQ(one.devices[device].idle.ns, other.devices[device].idle.ns) << step;
    }
  }
  EXPECT_EQ(CausesOf(nsys), CausesOf(kineto));
}

TEST(SameStory, OfAProgramThatWaitsForLaunches) {
  Compare(TestData("h200/tiny_launchbound.pt.trace.json.zst"));
}

TEST(SameStory, OfAProgramThatWaitsForInput) {
  Compare(Example("resnet50_inputbound.pt.trace.json.gz"));
}

TEST(SameStory, OfAProgramThatComputes) {
  Compare(TestData("h200/resnet50_good.pt.trace.json.zst"));
}

// A program in C++ that marks regions and waits in MPI. Its GPU idles from 100 to 300: 10 ns in
// which nothing was recorded, 90 in MPI_Send, 80 in a region, 20 in the launch.
TEST(NsysIdle, RegionsOfAProgramInCppAreNotPython) {
  constexpr const char* kSql =
      "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES(1,'saxpy'),(2,'cudaLaunchKernel_v7000'),(3,'MPI_Send');"
      "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
      "CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);"
      "INSERT INTO PROCESSES VALUES({0},{1},'{2}');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
      " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(10,100,0,7,1,{0},1),(300,400,0,7,2,{0},1);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER,"
      " correlationId INTEGER, nameId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(0,10,{0}+5,1,2),(280,300,{0}+5,2,2);"
      "CREATE TABLE MPI_P2P_EVENTS(start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER);"
      "INSERT INTO MPI_P2P_EVENTS VALUES(110,200,{0}+5,3);"
      "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
      " globalTid INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES(200,280,59,'prepare',{0}+5);";
  for (const bool python : {false, true}) {
    const TempDir folder;
    const std::string path = folder / "report1.sqlite";
    WriteDatabase(path, fmt::format(fmt::runtime(kSql), kGlobalPid, kPid,
                                    python ? "/usr/bin/python3.11" : "./saxpy-mpi-cuda"));
    const Cause region = python ? Cause::kPython : Cause::kHostOp;
    const std::map<Cause, int64_t> causes{
        {Cause::kUnknown, 10}, {Cause::kCommunicationWait, 90}, {region, 80}, {Cause::kLaunch, 20}};
    EXPECT_EQ(CausesOf(ReportOf(path)), causes) << python;
  }
}

// Calls of the C library alone do not say what the CPU worked on.
TEST(NsysIdle, AnExportOfLibraryCallsIsBoundByNothing) {
  const TempDir folder;
  const std::string path = folder / "report1.sqlite";
  WriteDatabase(path, fmt::format("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                                  "INSERT INTO StringIds VALUES(4,'poll');"
                                  "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
                                  "CREATE TABLE OSRT_API(start INTEGER, end INTEGER, globalTid"
                                  " INTEGER, nameId INTEGER);"
                                  "INSERT INTO OSRT_API VALUES(10,20,{},4);",
                                  kGlobalPid + 1));
  const RealReport real = ReportOf(path);
  EXPECT_EQ(real.report.verdict.bound_by, BoundBy::kUnknown);
  EXPECT_TRUE(real.report.device_timeline.empty());
  EXPECT_EQ(real.report.quality.CountOf(Diagnostic::kNotRecorded), 1u);
}

}  // namespace
}  // namespace stepscope
