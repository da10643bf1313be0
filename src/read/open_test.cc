#include "read/open.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/testing/data.h"
#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::string_view kTrace =
    R"([{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])";

class OpenTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, std::string_view bytes) {
    const fs::path path = fs::path(folder_) / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  Result<Profile> Open(const std::vector<std::string>& paths) {
    TaskPool pool(1);
    return OpenProfile(paths, {}, pool);
  }
  std::string Rank(int rank) {
    return R"({"distributedInfo":{"rank":)" + std::to_string(rank) + R"(},"traceEvents":)" +
           std::string(kTrace) + "}";
  }

  TempDir temp_;
  const std::string& folder_ = temp_.path();
};

// The first bytes of zstd and gzip frames, without anything that could be unpacked.
TEST_F(OpenTest, CutInTheFirstBlockIsCutAndNotEmpty) {
  const std::string zstd("\x28\xB5\x2F\xFD\x04\x58\xF1\x00", 8);
  const std::string gzip("\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\x03\x4B", 11);
  for (const std::string& bytes : {zstd, gzip}) {
    const Result<Profile> profile = Open({Write("cut", bytes)});
    ASSERT_FALSE(profile.has_value());
    EXPECT_EQ(profile.error().code, ErrorCode::kDamaged);
    EXPECT_THAT(InEnglish(profile.error().sentence), HasSubstr("ends in the middle"));
    EXPECT_THAT(InEnglish(profile.error().next_step), HasSubstr("Copy the file again"));
  }
}

TEST_F(OpenTest, EndsSoonWhenAskedToStop) {
  std::string many = "[";
  while (many.size() < (size_t{24} << 20))
    many += std::string(kTrace.substr(1, kTrace.size() - 2)) + ",";
  many.back() = ']';
  const std::string path = Write("many.json", many);
  TaskPool pool(1);
  std::stop_source stop;
  int told = 0;
  const auto progress = [&](double, const char*) {
    ++told;
    stop.request_stop();
  };
  const Result<Profile> profile =
      OpenProfile({path}, {.run = {}, .progress = progress, .stop = stop.get_token()}, pool);
  ASSERT_FALSE(profile.has_value());
  EXPECT_EQ(profile.error().code, ErrorCode::kInterrupted);
  EXPECT_EQ(profile.error().file, path);
  EXPECT_LT(told, 4);  // of six chunks
}

TEST(FileType, IsToldByContent) {
  EXPECT_EQ(FileTypeOf(""), FileType::kEmpty);
  EXPECT_EQ(FileTypeOf(" \n"), FileType::kEmpty);
  EXPECT_EQ(FileTypeOf(kTrace), FileType::kChromeJson);
  EXPECT_EQ(FileTypeOf("\xEF\xBB\xBF[]"), FileType::kChromeJson);
  EXPECT_EQ(FileTypeOf(R"({"a":1,"traceEvents":[]})"), FileType::kChromeJson);
  EXPECT_EQ(FileTypeOf(R"({"a":1})"), FileType::kUnknown);
  EXPECT_EQ(FileTypeOf("[1,2]"), FileType::kUnknown);
  EXPECT_EQ(FileTypeOf(R"({"schema":"1.1","pid":1,"nodes":[{"id":1}]})"),
            FileType::kExecutionTrace);
  EXPECT_EQ(FileTypeOf(R"([{"cols":[],"rows":[]}])"), FileType::kXprofToolOutput);
  EXPECT_EQ(FileTypeOf(std::string_view("SQLite format 3\0....", 20)), FileType::kSqlite);
  EXPECT_EQ(FileTypeOf("node {\n  name: \"a\"\n}"), FileType::kGraphDef);
  EXPECT_EQ(FileTypeOf("saved_model_schema_version: 1\nmeta_graphs {\n"), FileType::kGraphDef);
  EXPECT_EQ(FileTypeOf("meta_info_def {\n"), FileType::kGraphDef);
  EXPECT_EQ(FileTypeOf("\x89PNG\r\n"), FileType::kUnknown);
}

// A SavedModel: {1: version, 2: {1: {5: "2.21.0"}, 2: graph}}; a MetaGraphDef with its list of ops.
TEST(FileType, OfGraphsInsideOthers) {
  const std::string_view saved_model(
      "\x08\x01\x12\x0e\x0a\x08\x2a\x06"
      "2.21.0\x12\x02\x0a\x00",
      18);
  EXPECT_EQ(FileTypeOf(saved_model), FileType::kGraphDef);
  EXPECT_EQ(FileTypeOf(std::string_view("\x0a\x09\x12\x07\x0a\x05\x0a\x03"
                                        "Add\x12\x00",
                                        13)),
            FileType::kGraphDef);
  // An ONNX model begins with a version, too, and goes on with its producer's name.
  EXPECT_EQ(FileTypeOf("\x08\x0a\x12\x07pytorch"), FileType::kUnknown);
}

void ExpectType(const std::string& path, FileType type) {
  Result<OpenedSource> source = OpenSource(path);
  ASSERT_TRUE(source.has_value()) << path;
  EXPECT_EQ(FileTypeOf(Peek(*source, kSniffedBytes)), type) << path;
}

TEST(FileType, OfRealFiles) {
  for (const auto& [path, type] : std::initializer_list<std::pair<const char*, FileType>>{
           {"h200/resnet50_good.pt.trace.json.zst", FileType::kChromeJson},
           {"h200/ort_mobilenet.json.zst", FileType::kChromeJson},
           {"h200/jax_mlp.trace.json.zst", FileType::kChromeJson},
           {"h200/jax_mlp.xplane.pb.zst", FileType::kXPlane},
           {"h200/jax_transformer.xplane.pb.zst", FileType::kXPlane},
           {"h200/leak_snapshot.pickle.zst", FileType::kMemorySnapshot},
           {"h200/et_linked.execution_trace.json.zst", FileType::kExecutionTrace},
           {"tf/conv/run_meta_0.pb", FileType::kRunMetadata},
           {"tf/conv/graph.pb", FileType::kGraphDef},
           {"tf/conv/op_log", FileType::kOpLog},
           {"tf/conv/profile.pb", FileType::kTfprofProfile},
           {"tf/twodev/profile.pb", FileType::kTfprofProfile},
           {"tf/seq/ckpt.index", FileType::kCheckpointIndex},
           {"tf/events/logs/old/events.out.tfevents.1700000000.host1", FileType::kTfEvents},
           {"README.md", FileType::kUnknown},
       }) {
    ExpectType(TestData(path), type);
  }
}

TEST(FileTypeAcceptance, OfRealFiles) {
  for (const auto& [path, type] : std::initializer_list<std::pair<const char*, FileType>>{
           {"xprof/tpu_inference_2_old.xplane.pb", FileType::kXPlane},
           {"tfprof/run_meta", FileType::kRunMetadata},
           {"tfprof/graph.pbtxt", FileType::kGraphDef},
           {"tfprof/ckpt.meta", FileType::kGraphDef},
           {"tfprof/tfprof_log", FileType::kOpLog},
           {"tfprof/ckpt.index", FileType::kCheckpointIndex},
           {"tfevents/rustboard_tf_record_test_two_records.tfevents", FileType::kTfEvents},
           {"xprof/GPU-input-bound/localhost.overview_page.pb", FileType::kXprofToolOutput},
           {"xprof/GPU-input-bound/localhost.input_pipeline.pb", FileType::kXprofToolOutput},
           {"xprof/GPU-input-bound/localhost.tensorflow_stats.pb", FileType::kXprofToolOutput},
       }) {
    ExpectType(AcceptanceData(path), type);
  }
}

TEST_F(OpenTest, SaysWhatCannotBeReadAndWhatToDo) {
  const auto error_of = [&](const std::string& path) {
    const Result<Profile> profile = Open({path});
    EXPECT_FALSE(profile.has_value()) << path;
    EXPECT_FALSE(profile.error().next_step.empty()) << path;
    EXPECT_EQ(profile.error().file, path);
    return InEnglish(profile.error().sentence);
  };
  EXPECT_THAT(error_of(Write("empty", "")), HasSubstr("empty"));
  EXPECT_THAT(error_of(Write("picture.json", "\x89PNG\r\n\x1a\n")), HasSubstr("PNG"));
  EXPECT_THAT(error_of(Write("snapshot", "\x80\x04\x95}segments")), HasSubstr("pickle"));
  EXPECT_THAT(error_of(Write("et.json", R"({"schema":"1","nodes":[]})")),
              HasSubstr("execution trace"));
  EXPECT_THAT(error_of(folder_ + "/none"), HasSubstr("Cannot open"));
  fs::create_directories(folder_ + "/bare");
  EXPECT_THAT(error_of(folder_ + "/bare"), HasSubstr("no profile in this directory"));
}

TEST_F(OpenTest, DirectoriesAreWalkedAndOtherFilesPassedOver) {
  Write("run/b.json", kTrace);
  Write("run/deep/a.json", kTrace);
  Write("run/notes.txt", "hello");
  Write("run/.hidden.json", kTrace);
  const Result<Profile> profile = Open({folder_ + "/run"});
  ASSERT_TRUE(profile.has_value());
  ASSERT_EQ(profile->traces.size(), 2U);
  EXPECT_EQ(profile->traces[0].path, folder_ + "/run/b.json");
  EXPECT_EQ(profile->traces[1].path, folder_ + "/run/deep/a.json");
}

TEST_F(OpenTest, RanksComeInTheirOrder) {
  const Result<Profile> profile =
      Open({Write("r10.json", Rank(10)), Write("r2.json", Rank(2)), Write("r0.json", Rank(0))});
  ASSERT_TRUE(profile.has_value());
  ASSERT_EQ(profile->traces.size(), 3U);
  EXPECT_EQ(profile->traces[0].facts.rank, 0);
  EXPECT_EQ(profile->traces[1].facts.rank, 2);
  EXPECT_EQ(profile->traces[2].facts.rank, 10);
}

TEST_F(OpenTest, RunsAndTheirGraphAreOneTraceThatNamesThemAll) {
  const std::string folder = TestData("tf/conv/");
  const Result<Profile> profile =
      Open({folder + "graph.pb", folder + "run_meta_0.pb", folder + "run_meta_1.pb"});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->traces.size(), 1U);
  EXPECT_EQ(profile->traces[0].path, folder + "run_meta_0.pb");
  EXPECT_EQ(profile->traces[0].other_paths,
            (std::vector<std::string>{folder + "run_meta_1.pb", folder + "graph.pb"}));
}

TEST_F(OpenTest, OneBadFileAmongGoodOnesIsANote) {
  const Result<Profile> profile = Open({Write("good.json", kTrace), Write("bad.json", "")});
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->traces.size(), 1U);
  EXPECT_EQ(profile->diagnostics[0].CountOf(Diagnostic::kFileSkipped), 1U);
}

}  // namespace
}  // namespace stepscope
