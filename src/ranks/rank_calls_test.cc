#include "ranks/rank_calls.h"

#include <gtest/gtest.h>

#include "ranks/testing/made_job.h"
#include "read/chrome_json/testing/read_text.h"
#include "read/xplane/hlo_proto.h"

namespace stepscope {
namespace {

// A collective of NCCL as Kineto writes it, on a stream.
std::string CallOf(const std::string& args) {
  return R"({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32","pid":0,"tid":7,)"
         R"("ts":10,"dur":5,"args":{"device":0,"stream":7,"Collective name":"allreduce",)"
         R"("dtype":"Float","In msg nelems":8,"Out msg nelems":8,)" +
         args + "}}";
}

std::vector<RankGroup> GroupsOf(const std::string& top, const std::string& calls) {
  const auto answer = chrome_json::ReadText("{" + top + R"("traceEvents":[)" + calls + "]}");
  return DeclaredGroups(answer.trace->facts);
}

TEST(RankCalls, CollectivesNameTheRanksOfTheirGroup) {
  const std::vector<RankGroup> groups = GroupsOf(
      "", CallOf(R"("Group size":2,"Process Group Name":"0","Process Group Description":)"
                 R"("default_pg","Process Group Ranks":"[1, 0]")") +
              "," +
              CallOf(R"("Group size":2,"Process Group Name":"0","Process Group Description":)"
                     R"("default_pg","Process Group Ranks":"[1, 0]")") +
              "," +
              CallOf(R"("Group size":4,"Process Group Name":"3","Process Group Description":)"
                     R"("mesh_dp","Process Group Ranks":"[1, 3, ...]",)"
                     R"("Global rank start":1,"Global rank stride":2)"));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].description, "default_pg");
  EXPECT_EQ(groups[0].ranks, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(groups[1].description, "mesh_dp");
  EXPECT_EQ(groups[1].ranks, (std::vector<int64_t>{1, 3, 5, 7}));  // the list was cut
}

TEST(RankCalls, TheTopOfTheFileComesFirstWhereItIsWhole) {
  const std::string call =
      CallOf(R"("Group size":2,"Process Group Name":"0","Process Group Description":"other",)"
             R"("Process Group Ranks":"[4, 5]")");
  const std::string whole =
      R"("distributedInfo":{"rank":0,"world_size":2,"pg_config":[{"pg_name":"0",)"
      R"("pg_desc":"default_pg","pg_size":2,"ranks":[0,1]}]},)";
  const std::vector<RankGroup> declared = GroupsOf(whole, call);
  ASSERT_EQ(declared.size(), 1u);
  EXPECT_EQ(declared[0].description, "default_pg");
  EXPECT_EQ(declared[0].ranks, (std::vector<int64_t>{0, 1}));
  const std::string cut = R"("distributedInfo":{"rank":0,"world_size":2,"pg_config":[{"pg_name":)"
                          R"("0","pg_desc":"default_pg","pg_size":2,"ranks":[]}]},)";
  const std::vector<RankGroup> completed = GroupsOf(cut, call);
  ASSERT_EQ(completed.size(), 1u);
  EXPECT_EQ(completed[0].ranks, (std::vector<int64_t>{4, 5}));
}

// Field 26 of an instruction is its channel: an all-reduce of a real module on four TPU cores has 1
// there.
TEST(RankCalls, InstructionsOfXlaHaveChannels) {
  const std::string instruction =
      "\x0a\x0c"
      "all-reduce.3"
      "\x12\x0a"
      "all-reduce"
      "\xd0\x01\x05";
  const auto wrap = [](char tag, const std::string& inside) {
    return std::string{tag, static_cast<char>(inside.size())} + inside;
  };
  const std::string computation = wrap('\x12', instruction);
  const std::string module = wrap('\x1a', computation);
  const std::string proto = wrap('\x0a', module);  // what is read points into it
  const xplane::HloModule read = xplane::ReadHloProto(proto);
  ASSERT_EQ(read.instructions.size(), 1u);
  EXPECT_EQ(read.instructions[0].name, "all-reduce.3");
  EXPECT_EQ(read.instructions[0].channel, 5);
}

// Hosts may call an instruction by different names: the channel says which calls are one.
TEST(RankCalls, HostsOfOneRunMeetInTheirChannels) {
  MadeRanks made = MakeJob({.straggler = 1});
  for (size_t r = 0; r < made.digests.size(); ++r) {
    for (size_t s = 0; s < 2; ++s) {
      CallSignature& signature = made.digests[r].signatures[s];
      signature.in_elements = signature.out_elements = signature.bytes = -1;
      signature.dtype.clear();
      signature.channel = static_cast<int64_t>(s + 1);
    }
  }
  const Job job = AnalyzeMade(made);
  EXPECT_TRUE(job.mismatches.empty());
  ASSERT_EQ(job.collectives.size(), 2u);
  for (const JobCollective& row : job.collectives) EXPECT_EQ(row.complete, row.calls);
  // Without channels, other names are other calls.
  for (RankDigest& digest : made.digests) {
    for (CallSignature& signature : digest.signatures) {
      signature.channel = -1;
      signature.instruction = digest.path;
    }
  }
  EXPECT_FALSE(AnalyzeMade(made).mismatches.empty());
}

}  // namespace
}  // namespace stepscope
