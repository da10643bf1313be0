#include "read/logdir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using testing::ElementsAre;

TEST(SelectFromLogdir, TakesTheNewestRunOfEachLogdirAndNoDerivedFiles) {
  const std::vector<std::string> files = {
      "logs/train/events.out.tfevents.1",
      "logs/train/plugins/profile/2026_11_14_09_00_00/a.xplane.pb",
      "logs/train/plugins/profile/2026_11_15_08_17_32/a.trace.json.gz",
      "logs/train/plugins/profile/2026_11_15_08_17_32/a.xplane.pb",
      "logs/train/plugins/profile/2026_11_15_08_17_32/b.xplane.pb",
      "logs/train/plugins/profile/2026_11_15_08_17_32/perfetto_trace.json.gz",
      "logs/validation/plugins/profile/2026_11_13_00_00_00/a.xplane.pb",
  };
  EXPECT_THAT(*SelectFromLogdir("logs", files, ""),
              ElementsAre("logs/train/events.out.tfevents.1",
                          "logs/train/plugins/profile/2026_11_15_08_17_32/a.xplane.pb",
                          "logs/train/plugins/profile/2026_11_15_08_17_32/b.xplane.pb",
                          "logs/validation/plugins/profile/2026_11_13_00_00_00/a.xplane.pb"));
  EXPECT_THAT(*SelectFromLogdir("logs", files, "2026_11_14_09_00_00"),
              ElementsAre("logs/train/plugins/profile/2026_11_14_09_00_00/a.xplane.pb"));
  const auto none = SelectFromLogdir("logs", files, "yesterday");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
  EXPECT_EQ(InEnglish(none.error().next_step),
            "Runs: 2026_11_13_00_00_00, 2026_11_14_09_00_00, 2026_11_15_08_17_32.");
}

TEST(SelectFromLogdir, ATraceWithoutItsXPlaneStays) {
  const std::vector<std::string> files = {"d/a.pt.trace.json.gz", "d/b.json"};
  EXPECT_EQ(*SelectFromLogdir("d", files, ""), files);
}

TEST(GroupFiles, RunsOfOneProgramAreOneTrace) {
  using enum FileType;
  const auto groups = GroupFiles({{"m/run_meta_10.pb", kRunMetadata},
                                  {"m/run_meta_9.pb", kRunMetadata},
                                  {"m/graph.pb", kGraphDef},
                                  {"n/trace.json", kChromeJson}});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].files, ElementsAre("m/run_meta_9.pb", "m/run_meta_10.pb"));
  EXPECT_EQ(groups[0].graph, "m/graph.pb");
  EXPECT_THAT(groups[1].files, ElementsAre("n/trace.json"));
}

TEST(GroupFiles, OneOfSeveralGraphsIsFoundByName) {
  using enum FileType;
  const auto groups = GroupFiles({{"a.bad.graph.pb", kGraphDef},
                                  {"a.bad.run_meta.pb", kRunMetadata},
                                  {"a.fixed.graph.pb", kGraphDef},
                                  {"a.fixed.run_meta.pb", kRunMetadata},
                                  {"other.graph.pb", kGraphDef}});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].graph, "a.bad.graph.pb");
  EXPECT_EQ(groups[1].graph, "a.fixed.graph.pb");
  EXPECT_EQ(groups[2].files.front(), "other.graph.pb");
}

TEST(GroupFiles, AGraphOfAnotherFolderIsTakenWhereItIsTheOnlyOneMeant) {
  using enum FileType;
  // Below a directory: the SavedModel beside the runs, not that of another program.
  const auto below = GroupFiles({{"d/a/run_meta.pb", kRunMetadata, false},
                                 {"d/a/export/saved_model.pb", kGraphDef, false},
                                 {"d/b/graph.pb", kGraphDef, false}});
  ASSERT_EQ(below.size(), 2u);
  EXPECT_EQ(below[0].graph, "d/a/export/saved_model.pb");
  EXPECT_EQ(below[1].files.front(), "d/b/graph.pb");
  // Named together: wherever they are.
  const auto named = GroupFiles({{"x/run_meta.pb", kRunMetadata}, {"y/graph.pb", kGraphDef}});
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].graph, "y/graph.pb");
}

}  // namespace
}  // namespace stepscope
