#include "capture/processes/processes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

// The files of a process that ends open and then fail to be read. A folder does the same.
TEST(Processes, FilesThatOpenAndCannotBeReadAreNoProcess) {
  const TempDir proc;
  std::filesystem::create_directories(proc / "41/stat");
  std::filesystem::create_directories(proc / "42/cmdline");
  std::filesystem::create_directory(proc / "43");
  for (const char* pid : {"42", "43"}) {
    std::ofstream(proc / (std::string(pid) + "/stat")) << pid << " (python) S 1 1 1";
  }
  std::ofstream(proc / "43/cmdline") << "python" << '\0' << "train.py" << '\0';
  std::filesystem::create_directory(proc / "43/environ");
  const auto processes = ReadProcesses(proc.path());
  for (const ProcessFacts& process : processes) {
    EXPECT_FALSE(process.readable) << process.pid;
    EXPECT_EQ(process.command, process.pid == 43 ? "python train.py" : "") << process.pid;
  }
}

}  // namespace
}  // namespace stepscope
