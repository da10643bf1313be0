// Links of real profiles, against counts made by other programs from the raw files.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "link/links.h"
#include "link/testing/real_files.h"

namespace stepscope {
namespace {

struct Counted {
  const char* file;
  uint64_t device_events;
  uint64_t linked;
};

TEST(FindLinksAcceptance, LinksWhatTheRawFilesLink) {
  const Counted files[] = {
      {"tracelens/h100/Falconsai_nsfw_image_detection__1016002.json.gz", 156, 156},
      {"tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1707, 1198},
      {"tracelens/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz", 534, 534},
      {"tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz", 61, 61},
      {"tracelens/mi300/Falconsai_nsfw_image_detection__1016002.json.gz", 155, 155},
      {"tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1517, 1054},
      {"tracelens/mi300/facebook_timesformer-base-finetuned-k400__1016002.json.gz", 449, 449},
      {"tracelens/mi300/gaunernst_bert-small-uncased__1016001.json.gz", 61, 61},
      {"tb_plugin/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz", 9096, 9096},
      {"tb_plugin/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz", 9258, 9258},
  };
  for (const Counted& counted : files) {
    const std::string path = AcceptanceData(counted.file);
    SCOPED_TRACE(counted.file);
    TaskPool pool(2);
    const Links links = FindLinks(OpenReal(path), pool);
    EXPECT_EQ(links.device_events, counted.device_events);
    EXPECT_EQ(links.linked_by_correlation, counted.linked);
  }
}

// One launch a step, 40 kernels each: the graph is replayed six times.
TEST(FindLinks, ARealGraphLaunchOwnsAllItsKernels) {
  const Trace trace = OpenReal(Example("cudagraph_infer.pt.trace.json.gz"));
  TaskPool pool(2);
  const Links links = FindLinks(trace, pool);
  ASSERT_EQ(links.calls.size(), 6U);
  for (size_t c = 0; c < links.calls.size(); ++c) {
    EXPECT_EQ(trace.Name(Index(links.calls[c])), "cudaGraphLaunch");
    EXPECT_EQ(links.first[c + 1] - links.first[c], 40U);
  }
}

// Returns how many names of kernels the files have.
size_t ExpectKnownCategories(const std::vector<std::string>& files) {
  std::set<std::string> unknown;
  size_t names = 0;
  for (const std::string& file : files) {
    const Trace trace = OpenReal(file);
    std::set<StringId> kernels;
    for (uint32_t row = 0; row < trace.slices.size(); ++row) {
      if (trace.slices.kind[row] == Kind::kKernel) kernels.insert(trace.slices.name[row]);
    }
    names += kernels.size();
    for (const StringId name : kernels) {
      // XLA numbers fusions without saying what they fuse.
      if (trace.strings[name].starts_with("fusion_")) continue;
      if (trace.traits[Index(name)].category == KernelCategory::kOther) {
        unknown.emplace(trace.strings[name]);
      }
    }
  }
  EXPECT_TRUE(unknown.empty()) << testing::PrintToString(unknown);
  return names;
}

TEST(TraitsOf, KnowsTheCategoryOfEveryRealKernel) {
  // 788 in the events of category "kernel"; JAX's trace has no categories.
  EXPECT_GE(ExpectKnownCategories(OwnKinetoFiles()), 788U);
}
TEST(TraitsOfAcceptance, KnowsTheCategoryOfEveryRealKernel) {
  EXPECT_GT(ExpectKnownCategories(KinetoFilesOfOthers()), 300U);
}

}  // namespace
}  // namespace stepscope
