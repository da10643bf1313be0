#include "read/nsys/convert_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/testing/temp_dir.h"
#include "io/testing/write_database.h"
#include "read/nsys/testing/export_writer.h"
#include "read/open.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder with a report, and an nsys of our own that is the only one on PATH.
class ConvertReport : public testing::Test {
 protected:
  ConvertReport() : path_(std::getenv("PATH")) {
    std::ofstream(report_) << "NVIDIA Tegra Profiler Report 2026@1@1@204-261137176666v0.";
    WriteDatabase(folder_ / "made.db", nsys::ExportSql(true));
    fs::create_directory(folder_ / "bin");
    setenv("PATH", (folder_ / "bin").c_str(), 1);
  }
  ~ConvertReport() override { setenv("PATH", path_.c_str(), 1); }

  // The sixth argument is where the export goes.
  void Install(const std::string& does) {
    const std::string program = folder_ / "bin/nsys";
    std::ofstream(program) << "#!/bin/sh\n" << does << "\n";
    fs::permissions(program, fs::perms::owner_all);
  }
  std::string Copy() const { return "/bin/cp '" + (folder_ / "made.db") + "' \"$6\""; }

  Result<Profile> Open(bool answer) {
    OpenOptions options;
    options.ask = [&, answer](const Message& question) {
      asked_ = InEnglish(question);
      return answer;
    };
    TaskPool pool(1);
    return OpenProfile({report_}, options, pool);
  }

  TempDir folder_;
  std::string path_;
  std::string report_ = folder_ / "train.nsys-rep";
  std::string asked_;
};

TEST_F(ConvertReport, ConvertsAfterAYes) {
  Install(Copy());
  const Result<Profile> profile = Open(true);
  ASSERT_TRUE(profile) << InEnglish(profile.error().sentence);
  EXPECT_THAT(asked_, HasSubstr("train.sqlite"));
  EXPECT_TRUE(fs::exists(folder_ / "train.sqlite"));
  // The next time the export is there.
  asked_.clear();
  EXPECT_TRUE(Open(false));
  EXPECT_EQ(asked_, "");
}

TEST_F(ConvertReport, PrintsTheCommandAfterANo) {
  Install(Copy());
  const Result<Profile> profile = Open(false);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(InEnglish(profile.error().next_step), HasSubstr("nsys export --type sqlite"));
  EXPECT_FALSE(fs::exists(folder_ / "train.sqlite"));
}

TEST_F(ConvertReport, DoesNotAskWithoutNsys) {
  EXPECT_FALSE(Open(true));
  EXPECT_EQ(asked_, "");
}

TEST_F(ConvertReport, AFailureLeavesNothing) {
  Install(Copy() + "; exit 3");
  const Result<Profile> profile = Open(true);
  ASSERT_FALSE(profile);
  EXPECT_THAT(InEnglish(profile.error().sentence), HasSubstr("could not convert"));
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_NE(entry.path().extension(), ".sqlite");
  }
}

}  // namespace
}  // namespace stepscope
