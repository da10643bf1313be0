#include "base/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <vector>

#include "base/testing/temp_dir.h"

namespace stepscope {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(MemoryLimit, ReadsSizes) {
  EXPECT_EQ(ParseMemorySize("8G"), 8192 * kMiB);
  EXPECT_EQ(ParseMemorySize("512MiB"), 512 * kMiB);
  EXPECT_EQ(ParseMemorySize("1.5m"), kMiB + kMiB / 2);
  EXPECT_EQ(ParseMemorySize("1000"), 1000U);
  for (const char* wrong : {"", "G", "-1", "8X", "8GG", "0", "nan", "1e99"}) {
    EXPECT_FALSE(ParseMemorySize(wrong)) << wrong;
  }
}

TEST(MemoryLimit, TheNarrowestCgroupCounts) {
  const TempDir folder;
  const std::string proc = folder.path() + "/proc", cgroup = folder.path() + "/cgroup";
  std::filesystem::create_directories(proc + "/self");
  std::filesystem::create_directories(cgroup + "/job/inner");
  std::ofstream(proc + "/meminfo") << "MemTotal: 16777216 kB\nMemFree: 1 kB\n";
  EXPECT_EQ(AllowedMemory(proc, cgroup), 16384 * kMiB - 16384 * kMiB / 20);
  std::ofstream(proc + "/self/cgroup") << "0::/job/inner\n";
  std::ofstream(cgroup + "/job/inner/memory.max") << "max\n";
  std::ofstream(cgroup + "/job/memory.max") << 1024 * kMiB << "\n";
  EXPECT_EQ(AllowedMemory(proc, cgroup), 1024 * kMiB - 128 * kMiB);
}

TEST(MemoryLimit, WhatExceedsItIsBadAlloc) {
  // Sanitizers take terabytes for themselves; nothing is limited then.
  if (MemoryInUse() > (uint64_t{1} << 40)) GTEST_SKIP();
  const pid_t child = fork();
  if (child == 0) {
    LimitMemory(MemoryInUse() + 256 * kMiB);
    bool refused = false;
    try {
      std::vector<char> large(512 * kMiB);
      refused = large.empty();
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    const std::vector<char> small(64 * kMiB);
    _exit(refused && !FitsIntoMemory(512 * kMiB) && FitsIntoMemory(64 * kMiB) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace stepscope
