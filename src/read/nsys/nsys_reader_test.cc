#include "read/nsys/nsys_reader.h"
#include "read/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/testing/temp_dir.h"
#include "io/testing/write_database.h"
#include "read/nsys/global_id.h"
#include "read/nsys/names.h"
#include "read/nsys/testing/export_writer.h"

namespace stepscope {
namespace {

using testing::HasSubstr;

struct Read {
  Profile profile;
  const Trace& trace() const { return profile.traces.front(); }
  const Diagnostics& diagnostics() const { return profile.diagnostics.front(); }

  // The only span with this name.
  uint32_t Span(std::string_view name) const {
    uint32_t found = kNoRow;
    for (uint32_t row = 0; row < trace().slices.size(); ++row) {
      if (trace().Name(row) != name) continue;
      EXPECT_EQ(found, kNoRow) << name;
      found = row;
    }
    EXPECT_NE(found, kNoRow) << name;
    return found;
  }
  uint32_t Spans(Kind kind) const {
    return static_cast<uint32_t>(std::ranges::count(trace().slices.kind, kind));
  }
};

std::string WriteExport(const TempDir& folder, bool newest = true) {
  const std::string path = folder / "report1.sqlite";
  WriteDatabase(path, nsys::ExportSql(newest));
  return path;
}

Read ReadFile(const std::string& path, unsigned threads = 1) {
  TaskPool pool(threads);
  Result<Profile> profile = OpenProfile({path}, {}, pool);
  if (!profile) throw std::runtime_error(InEnglish(profile.error().sentence));
  return {std::move(*profile)};
}

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void WriteBytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

TEST(NsysReader, KernelsOfTwoProcessesLinkToTheirOwnLaunches) {
  const TempDir folder;
  const Read read = ReadFile(WriteExport(folder));
  const Trace& trace = read.trace();
  ASSERT_EQ(read.Spans(Kind::kKernel), 3u);  // two kernels and a graph
  std::vector<std::pair<int32_t, uint64_t>> kernels;
  for (const DeviceArgs& args : trace.device_args) {
    if (trace.slices.kind[args.slice] != Kind::kKernel || args.graph_node != 0) continue;
    kernels.emplace_back(args.device, args.correlation);
    EXPECT_EQ(args.grid[0], 264u);
    EXPECT_EQ(args.block[0], 128u);
    EXPECT_EQ(args.shared_memory, 1040u);
    EXPECT_FLOAT_EQ(args.blocks_per_sm, 2.0f);
  }
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_NE(kernels[0].first, kernels[1].first);    // CUDA's device 0 of process 12 is GPU 1
  EXPECT_NE(kernels[0].second, kernels[1].second);  // correlation 100 of either process
  for (const auto& [device, correlation] : kernels) {
    EXPECT_EQ(std::ranges::count(trace.call_args, correlation, &CallArgs::correlation), 1);
  }
  EXPECT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[1].name, "NVIDIA H100");
  EXPECT_EQ(trace.facts.notes.at("nsys_schema_version"), "3.25.0");
}

TEST(NsysReader, NamesAreThoseOfOtherProfiles) {
  const TempDir folder;
  const Read read = ReadFile(WriteExport(folder));
  const Trace& trace = read.trace();
  const uint32_t copy = read.Span("Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(trace.DeviceOf(copy).bytes, 4096);
  EXPECT_EQ(trace.slices.duration[copy].ns, 200);
  EXPECT_EQ(trace.slices.duration[read.Span("Memset (Device)")].ns, 10);
  EXPECT_EQ(trace.slices.kind[read.Span("Stream Synchronize")], Kind::kSync);
  EXPECT_EQ(trace.slices.kind[read.Span("cudaMemcpyAsync")], Kind::kCall);
  EXPECT_EQ(trace.slices.kind[read.Span("Command Buffer Full")], Kind::kSync);
  EXPECT_EQ(trace.slices.kind[read.Span("Buffer Flush")], Kind::kOverhead);
  EXPECT_EQ(trace.slices.kind[read.Span("poll")], Kind::kOther);
  EXPECT_EQ(trace.slices.duration[read.Span("waiting for I/O")].ns, 16);
  EXPECT_EQ(trace.slices.duration[read.Span("read train.bin")].ns, 200);
  EXPECT_EQ(trace.slices.duration[read.Span("k\xEF\xBF\xBDl")].ns, 130);
}

TEST(NsysReader, NvtxRangesAreAnnotationsAndPyTorchsAreOps) {
  const TempDir folder;
  const Read read = ReadFile(WriteExport(folder));
  const Trace& trace = read.trace();
  const uint32_t op = read.Span("aten::mm");
  EXPECT_EQ(trace.slices.kind[op], Kind::kOp);
  EXPECT_EQ(trace.op_args[trace.slices.args[op]].sequence, 17);
  EXPECT_EQ(trace.strings[trace.op_args[trace.slices.args[op]].input_dims], "[[8,4],[4,2]]");
  EXPECT_EQ(trace.facts.framework, "PyTorch");
  EXPECT_EQ(trace.slices.kind[read.Span("step 3")], Kind::kAnnotation);
  EXPECT_EQ(trace.slices.kind[read.Span("ncclAllReduce")], Kind::kAnnotation);
}

TEST(NsysReader, EveryRowIsStoredOrDiagnosed) {
  const TempDir folder;
  const Read read = ReadFile(WriteExport(folder));
  // 3 kernels, 1 copy, 1 memset, 1 graph, 1 wait, 2 memory, 1 metric; 4 calls, 7 NVTX, 1 call of
  // the C library, 2 overhead, 3 scheduling, 1 sample, 1 file, 1 library call.
  EXPECT_EQ(read.trace().events.in_file, 30u);
  EXPECT_EQ(read.trace().events.diagnosed, 2u);  // a kernel and a range without a start
  EXPECT_EQ(read.diagnostics().CountOf(Diagnostic::kEventWithoutTime), 2u);
  EXPECT_EQ(read.diagnostics().CountOf(Diagnostic::kUnmatchedBegin), 1u);
  EXPECT_EQ(read.diagnostics().CountOf(Diagnostic::kTableSkipped), 1u);  // NET_NIC_METRIC
  EXPECT_EQ(read.trace().allocations.size(), 2u);
  EXPECT_EQ(read.trace().counters.size(), 1u);
  EXPECT_EQ(read.trace().instants.size(), 2u);
  EXPECT_EQ(read.trace().facts.start_unix_ns, 1'700'000'000'000'000'100);
}

TEST(NsysReader, NothingOfTheMachineGetsOut) {
  const TempDir folder;
  const Read read = ReadFile(WriteExport(folder));
  std::string all;
  for (uint32_t id = 0; id < read.trace().strings.size(); ++id) {
    all += read.trace().strings[StringId{id}];
  }
  for (const auto& entry : read.diagnostics().entries()) {
    for (const auto& example : entry.examples) all += InEnglish(example.text);
  }
  for (const auto& [key, value] : read.trace().facts.notes) all += key + value;
  for (const char* secret : {"somebody", "secret", "TOKEN", "hidden"}) {
    EXPECT_THAT(all, Not(HasSubstr(secret)));
  }
  EXPECT_THAT(all, HasSubstr("lost 7 events, see (path)"));
}

TEST(NsysReader, TheOldestSchemaReadsTheSame) {
  const TempDir folder, other;
  const Read newest = ReadFile(WriteExport(folder));
  const Read oldest = ReadFile(WriteExport(other, false));
  EXPECT_EQ(oldest.trace().slices.size(), newest.trace().slices.size());
  EXPECT_EQ(oldest.trace().facts.notes.at("nsys_schema_version"), "2.9.1");
}

// Names as ids, as text, mangled only; calls that are named in text only; no globalPid.
TEST(NsysReader, NamesInEveryFormThatExportsHave) {
  const TempDir folder;
  const std::string path = folder / "old.sqlite";
  WriteDatabase(path,
                "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                "INSERT INTO StringIds VALUES(9000000000,'far_kernel'),(4,'_Z3mulPf');"
                "CREATE TABLE EXPORT_META_DATA(name TEXT, value TEXT);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER,"
                " deviceId INTEGER, streamId INTEGER, correlationId INTEGER, demangledName,"
                " shortName, mangledName);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
                "(10,20,0,7,1,9000000000,NULL,NULL),(20,30,0,7,2,'text_kernel',NULL,NULL),"
                "(30,40,0,7,3,NULL,NULL,4);"
                "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER,"
                " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, name TEXT);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
                "(1,2,0,1,NULL,'cudaLaunchKernel_v7000'),(2,3,0,2,NULL,'cudaLaunchKernel_v7000'),"
                "(3,4,0,3,NULL,'cudaLaunchKernel_v7000');");
  const Read read = ReadFile(path);
  const Trace& trace = read.trace();
  EXPECT_EQ(trace.slices.duration[read.Span("far_kernel")].ns, 10);
  EXPECT_EQ(trace.slices.duration[read.Span("text_kernel")].ns, 10);
  EXPECT_EQ(trace.slices.duration[read.Span("_Z3mulPf")].ns, 10);
  EXPECT_EQ(read.Spans(Kind::kCall), 3u);
  for (const DeviceArgs& args : trace.device_args) {
    EXPECT_EQ(std::ranges::count(trace.call_args, args.correlation, &CallArgs::correlation), 1);
  }
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    if (trace.slices.kind[row] != Kind::kCall) continue;
    EXPECT_EQ(trace.Name(row), "cudaLaunchKernel");
  }
}

// The same process and correlation numbers on two machines of one report.
TEST(NsysReader, MachinesOfOneReportAreKeptApart) {
  constexpr int64_t kFirst = (int64_t{1} << 56) | (int64_t{42} << 24);
  constexpr int64_t kSecond = (int64_t{2} << 56) | (int64_t{42} << 24);
  EXPECT_NE(nsys::CorrelationOf(kFirst, 7), nsys::CorrelationOf(kSecond, 7));
  EXPECT_EQ(nsys::CorrelationOf(kFirst, 7), nsys::CorrelationOf(kFirst + 5, 7));
}

TEST(NsysReader, TheNumberOfThreadsDoesNotShow) {
  const TempDir folder;
  const std::string path = WriteExport(folder);
  const Read one = ReadFile(path, 1);
  for (const unsigned threads : {2u, 7u}) {
    const Read many = ReadFile(path, threads);
    EXPECT_EQ(many.trace().slices.start.size(), one.trace().slices.start.size());
    EXPECT_EQ(many.trace().slices.name, one.trace().slices.name);
    EXPECT_EQ(many.trace().slices.kind, one.trace().slices.kind);
    EXPECT_EQ(many.trace().slices.parent, one.trace().slices.parent);
  }
}

TEST(NsysReader, ACutFileNeverCrashes) {
  const TempDir folder;
  const std::string bytes = BytesOf(WriteExport(folder));
  TaskPool pool(1);
  size_t readable = 0;
  for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 509) {
    const std::string path = folder / "cut.sqlite";
    WriteBytes(path, std::string_view(bytes).substr(0, size));
    const Result<Profile> profile = OpenProfile({path}, {}, pool);
    if (profile) {
      ++readable;
    } else {
      EXPECT_FALSE(profile.error().sentence.empty());
    }
  }
  EXPECT_LT(readable, bytes.size() / 509);
}

TEST(NsysReader, BytesThatChangeNeverCrash) {
  const TempDir folder;
  const std::string bytes = BytesOf(WriteExport(folder));
  TaskPool pool(1);
  for (size_t at = 0; at < bytes.size(); at += 397) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x5a);
    const std::string path = folder / "changed.sqlite";
    WriteBytes(path, changed);
    const Result<Profile> profile = OpenProfile({path}, {}, pool);
    EXPECT_TRUE(profile || !profile.error().sentence.empty());
  }
}

TEST(NsysReader, AReportIsReadThroughItsExport) {
  const TempDir folder;
  WriteExport(folder);
  const std::string report = folder / "report1.nsys-rep";
  WriteBytes(report, "NVIDIA Tegra Profiler Report 2026@1@1@204-261137176666v0.");
  // The report must not be newer than its export.
  std::filesystem::last_write_time(report,
                                   std::filesystem::last_write_time(folder / "report1.sqlite"));
  EXPECT_EQ(ReadFile(report).trace().facts.format, Format::kNsys);

  const std::string alone = folder / "alone.nsys-rep";
  std::filesystem::copy_file(report, alone);
  TaskPool pool(1);
  const Result<Profile> profile = OpenProfile({alone}, {}, pool);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(InEnglish(profile.error().next_step),
              HasSubstr("nsys export --type sqlite --lazy=false " + alone));
}

TEST(NsysReader, ADatabaseOfAnotherProgramIsNoProfile) {
  const TempDir folder;
  const std::string path = folder / "runs.db";
  WriteDatabase(path, "CREATE TABLE experiments(id INTEGER)");
  TaskPool pool(1);
  const Result<Profile> profile = OpenProfile({path}, {}, pool);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(InEnglish(profile.error().sentence), "This SQLite database is not a profile.");
}

TEST(NsysNames, VersionsOfCudaAreNotPartOfACallsName) {
  EXPECT_EQ(nsys::PlainCallName("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(nsys::PlainCallName("cudaLaunchKernelExC_v11060_ptsz"), "cudaLaunchKernelExC");
  EXPECT_EQ(nsys::PlainCallName("cuMemAlloc_v2"), "cuMemAlloc_v2");
  EXPECT_EQ(nsys::PlainCallName("cuCtxSynchronize"), "cuCtxSynchronize");
}

TEST(NsysNames, PathsAreLeftOut) {
  EXPECT_EQ(nsys::WithoutPaths("see /var/log/b.log and 3/4 of it"), "see (path) and 3/4 of it");
  EXPECT_EQ(nsys::WithoutPaths("'C:\\Users\\x\\y'"), "'(path)'");
  EXPECT_EQ(nsys::WithoutPaths("plain"), "plain");
}

}  // namespace
}  // namespace stepscope
