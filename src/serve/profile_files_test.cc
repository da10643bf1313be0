#include "serve/profile_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

constexpr const char* kKineto =
    R"({"traceEvents": [{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":5}]})";

// As `record` leaves it: the file of the job, and two profiles that the framework wrote.
std::string MakeRecording(const std::string& directory) {
  std::filesystem::create_directories(directory);
  std::ofstream(directory + "/recording.ssrec") << "SSREC";
  std::ofstream(directory + "/rank0-11.pt.trace.json") << kKineto;
  std::ofstream(directory + "/rank1-12.pt.trace.json") << kKineto;
  return directory;
}

TEST(ProfilesOf, ARecordingIsOneProfile) {
  const TempDir folder;
  const std::string run = MakeRecording(folder / "run");
  const std::vector<ProfileFiles> profiles = ProfilesOf({run});
  ASSERT_EQ(profiles.size(), 1u);
  EXPECT_EQ(profiles[0].paths, std::vector{run});
  EXPECT_TRUE(profiles[0].named);
}

TEST(ProfilesOf, ARecordingBelowADirectoryIsOneOfItsProfiles) {
  const TempDir folder;
  const std::string run = MakeRecording(folder / "runs/a");
  const std::string alone = folder / "runs/alone.json";
  std::ofstream(alone) << kKineto;
  std::vector<std::string> found;
  for (const ProfileFiles& profile : ProfilesOf({folder / "runs"})) {
    if (!profile.named) found.insert(found.end(), profile.paths.begin(), profile.paths.end());
  }
  EXPECT_EQ(found, (std::vector{run, alone}));
}

}  // namespace
}  // namespace stepscope
