#include "read/rocpd/rocpd_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/testing/temp_dir.h"
#include "io/testing/write_database.h"
#include "read/open.h"
#include "read/rocpd/rpd_reader.h"
#include "read/rocpd/testing/rocpd_writer.h"

namespace stepscope {
namespace {

using rocpd::Schema;
using testing::UnorderedElementsAre;

Result<Profile> Open(const std::string& sql, const TempDir& folder, unsigned threads = 1) {
  const std::string path = folder / "results.db";
  std::filesystem::remove(path);
  WriteDatabase(path, sql);
  TaskPool pool(threads);
  return OpenProfile({path}, {}, pool);
}

std::vector<uint32_t> RowsNamed(const Trace& trace, std::string_view name) {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < trace.slices.size(); ++row) {
    if (trace.Name(row) == name) rows.push_back(row);
  }
  return rows;
}

class Rocpd : public testing::TestWithParam<Schema> {
 protected:
  Rocpd() : profile_(Open(rocpd::RocpdSql(GetParam()), folder_)) {}
  const Trace& trace() const { return profile_->traces.front(); }

  TempDir folder_;
  Result<Profile> profile_;
};

// Each process: five regions, a kernel, a kernel without a time, a copy, two allocations, a
// counter, a counter of a dispatch that is not there.
TEST_P(Rocpd, EveryRowIsStoredOrDiagnosed) {
  ASSERT_TRUE(profile_) << InEnglish(profile_.error().sentence);
  EXPECT_EQ(trace().events.in_file, 24u);
  EXPECT_EQ(trace().events.diagnosed, 4u);
  EXPECT_EQ(trace().slices.size(), 14u);
  EXPECT_EQ(trace().allocations.size(), 4u);
  EXPECT_EQ(trace().counters.size(), 2u);
  EXPECT_EQ(trace().facts.notes.at("rocpd_schema_version"), "3");
}

TEST_P(Rocpd, KernelsAndCopiesAreJoinedToTheirCallsPerProcess) {
  ASSERT_TRUE(profile_) << InEnglish(profile_.error().sentence);
  const std::vector<uint32_t> kernels = RowsNamed(trace(), "gemm(float*)");
  const std::vector<uint32_t> launches = RowsNamed(trace(), "hipLaunchKernel");
  ASSERT_EQ(kernels.size(), 2u);
  ASSERT_EQ(launches.size(), 2u);
  std::vector<uint64_t> of_kernels, of_launches;
  for (const uint32_t row : kernels) of_kernels.push_back(trace().DeviceOf(row).correlation);
  for (const uint32_t row : launches) {
    of_launches.push_back(trace().call_args[trace().slices.args[row]].correlation);
  }
  EXPECT_NE(of_kernels[0], of_kernels[1]);
  EXPECT_THAT(of_kernels, UnorderedElementsAre(of_launches[0], of_launches[1]));

  const DeviceArgs& args = trace().DeviceOf(kernels[0]);
  EXPECT_EQ(trace().slices.duration[kernels[0]].ns, 840);
  EXPECT_EQ(args.grid[0], 4u);  // 1000 work-items in blocks of 256
  EXPECT_EQ(args.grid[1], 2u);
  EXPECT_EQ(args.block[0], 256u);
  EXPECT_EQ(args.registers, 96u);
  EXPECT_EQ(args.shared_memory, 64u);
  EXPECT_EQ(args.stream, 3);
  EXPECT_NE(args.device, trace().DeviceOf(kernels[1]).device);

  const std::vector<uint32_t> copies = RowsNamed(trace(), "Memcpy HtoD");
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(trace().DeviceOf(copies[0]).bytes, 4096);
}

TEST_P(Rocpd, RangesAreNamedByTheirMessage) {
  ASSERT_TRUE(profile_) << InEnglish(profile_.error().sentence);
  const std::vector<uint32_t> steps = RowsNamed(trace(), "step 1");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(trace().slices.kind[steps[0]], Kind::kAnnotation);
  EXPECT_EQ(trace().slices.duration[steps[0]].ns, 2100);
  const std::vector<uint32_t> ops = RowsNamed(trace(), "aten::mm");
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(trace().slices.kind[ops[0]], Kind::kOp);
  EXPECT_EQ(trace().facts.framework, "PyTorch");
  EXPECT_TRUE(trace().facts.has_shapes);
}

TEST_P(Rocpd, AFreeGivesBackWhatWasTakenAtItsAddress) {
  ASSERT_TRUE(profile_) << InEnglish(profile_.error().sentence);
  int64_t held = 0;
  for (const Allocation& allocation : trace().allocations) {
    held += allocation.bytes;
    EXPECT_EQ(std::abs(allocation.bytes), 65536);
  }
  EXPECT_EQ(held, 0);
}

TEST_P(Rocpd, DevicesAreDescribedOnceAndNothingPrivateIsKept) {
  ASSERT_TRUE(profile_) << InEnglish(profile_.error().sentence);
  ASSERT_EQ(trace().devices.size(), 2u);
  EXPECT_EQ(trace().devices[0].name, "AMD Instinct MI300X");
  EXPECT_EQ(trace().devices[1].index, 1);
  EXPECT_EQ(trace().devices[0].sm_count, 304);
  for (const auto& [key, note] : trace().facts.notes) {
    EXPECT_EQ(note.find("secret"), std::string::npos);
    EXPECT_EQ(note.find("somebody"), std::string::npos);
  }
}

TEST_P(Rocpd, TheNumberOfThreadsDoesNotShow) {
  ASSERT_TRUE(profile_) << InEnglish(profile_.error().sentence);
  for (const unsigned threads : {2u, 7u}) {
    const Result<Profile> again = Open(rocpd::RocpdSql(GetParam()), folder_, threads);
    ASSERT_TRUE(again);
    const Trace& other = again->traces.front();
    ASSERT_EQ(other.slices.size(), trace().slices.size());
    for (uint32_t row = 0; row < other.slices.size(); ++row) {
      EXPECT_EQ(other.Name(row), trace().Name(row));
      EXPECT_EQ(other.slices.start[row].ns, trace().slices.start[row].ns);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemas, Rocpd, testing::Values(Schema::kTimesInRows, Schema::kTimesApart),
                         [](const auto& schema) {
                           return schema.param == Schema::kTimesInRows ? "TimesInRows"
                                                                       : "TimesApart";
                         });

// The file cut at every page and at odd places: an error with a sentence, or a part of the trace.
TEST(RocpdCut, IsAnErrorOrAPart) {
  const TempDir folder;
  for (const std::string& sql : {rocpd::RocpdSql(Schema::kTimesInRows), rocpd::RpdSql()}) {
    const std::string whole = folder / "whole.db";
    std::filesystem::remove(whole);
    WriteDatabase(whole, sql);
    std::ifstream file(whole, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::string cut = folder / "cut.db";
    for (size_t size = 0; size < bytes.size(); size += 1021) {
      std::ofstream(cut, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
      TaskPool pool(1);
      const Result<Profile> profile = OpenProfile({cut}, {}, pool);
      EXPECT_TRUE(profile || !profile.error().sentence.empty()) << size;
    }
  }
}

TEST(Rpd, TellsTheSameStory) {
  const TempDir folder;
  const Result<Profile> profile = Open(rocpd::RpdSql(), folder);
  ASSERT_TRUE(profile) << InEnglish(profile.error().sentence);
  const Trace& trace = profile->traces.front();
  EXPECT_EQ(trace.events.in_file, 8u);
  EXPECT_EQ(trace.events.diagnosed, 1u);  // the sensor that is no number
  EXPECT_EQ(trace.counters.size(), 1u);
  const std::vector<uint32_t> kernels = RowsNamed(trace, "gemm(float*)");
  ASSERT_EQ(kernels.size(), 1u);
  const DeviceArgs& args = trace.DeviceOf(kernels[0]);
  EXPECT_EQ(trace.slices.duration[kernels[0]].ns, 840);
  EXPECT_EQ(args.correlation, 3u);
  EXPECT_EQ(args.grid[0], 4u);
  EXPECT_EQ(args.block[0], 256u);
  const std::vector<uint32_t> copies = RowsNamed(trace, "Memcpy HtoD");
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(trace.DeviceOf(copies[0]).bytes, 4096);
  EXPECT_EQ(trace.DeviceOf(copies[0]).correlation, 4u);
  ASSERT_EQ(RowsNamed(trace, "step 1").size(), 1u);
  ASSERT_EQ(RowsNamed(trace, "aten::mm").size(), 1u);
  EXPECT_EQ(trace.facts.framework, "PyTorch");
}

TEST(Rpd, ADatabaseWithoutEventsIsAnError) {
  const TempDir folder;
  const Result<Profile> profile = Open(
      "CREATE TABLE rocpd_string(id, string); CREATE TABLE rocpd_api(id); CREATE TABLE "
      "rocpd_op(id);",
      folder);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::kDamaged);
}

}  // namespace
}  // namespace stepscope
