#include "io/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/testing/temp_dir.h"
#include "io/input_files.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void Make(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}
ptrdiff_t FilesIn(const std::string& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}
// Runs it in a process of its own; its exit code, or 128 + the signal that ended it.
int InChild(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(AtomicFile, AKilledWriterLeavesTheOldFileAndNoLitter) {
  const TempDir folder;
  const std::string path = folder.path() + "/out";
  Make(path, "old");
  for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
    EXPECT_EQ(InChild([&] {
                auto file = AtomicFile::Create(path, Overwrite::kAllowed);
                (void)file->Append("half of the new");
                raise(signal);
                return false;
              }),
              128 + signal);
    EXPECT_EQ(ContentOf(path), "old");
    EXPECT_EQ(FilesIn(folder.path()), 1);
  }
}

TEST(AtomicFile, AFullDiskLeavesTheOldFileAndNoLitter) {
  const TempDir folder;
  const std::string path = folder.path() + "/out";
  Make(path, "old");
  EXPECT_EQ(InChild([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{4096, 4096};
              setrlimit(RLIMIT_FSIZE, &limit);
              const auto written = WriteFile(path, std::string(100'000, 'x'));
              return !written && written.error().code == ErrorCode::kCannotWrite;
            }),
            0);
  EXPECT_EQ(ContentOf(path), "old");
  EXPECT_EQ(FilesIn(folder.path()), 1);
}

TEST(AtomicFile, AFailingDeviceIsAnErrorAndStays) {
  const auto written = WriteFile("/dev/full", "bytes");
  ASSERT_FALSE(written);
  EXPECT_THAT(InEnglish(written.error().sentence), testing::HasSubstr("No space left"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(AtomicFile, StandardOutputIsWrittenThroughWhateverItIs) {
  const TempDir folder;
  const std::string path = folder.path() + "/redirected", link = folder.path() + "/link";
  fs::create_symlink("/dev/stdout", link);
  EXPECT_EQ(InChild([&] {
              const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
              dup2(file, STDOUT_FILENO);
              return WriteFile("-", "1") && WriteFile("/dev/stdout", "2") &&
                     WriteFile("/dev/fd/1", "3") && WriteFile("/proc/self/fd/1", "4") &&
                     WriteFile(link, "5");
            }),
            0);
  EXPECT_EQ(ContentOf(path), "12345");
}

TEST(AtomicFile, KeepsTheModeOfWhatItReplaces) {
  const TempDir folder;
  const std::string path = folder.path() + "/out";
  Make(path, "old");
  chmod(path.c_str(), 0640);
  ASSERT_TRUE(WriteFile(path, "new"));
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  EXPECT_EQ(ContentOf(path), "new");
}

TEST(AtomicFile, NeverReplacesWhereThatIsNotAllowed) {
  const TempDir folder;
  const std::string path = folder.path() + "/out";
  auto file = AtomicFile::Create(path, Overwrite::kNever);
  ASSERT_TRUE(file && file->Append("late"));
  Make(path, "appeared meanwhile");
  EXPECT_FALSE(file->Commit());
  EXPECT_FALSE(AtomicFile::Create(path, Overwrite::kNever));
  EXPECT_EQ(ContentOf(path), "appeared meanwhile");
  EXPECT_EQ(FilesIn(folder.path()), 1);
}

TEST(AtomicFile, ADanglingLinkGetsItsTarget) {
  const TempDir folder;
  fs::create_symlink("target", folder.path() + "/link");
  ASSERT_TRUE(WriteFile(folder.path() + "/link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder.path() + "/link"));
  EXPECT_EQ(ContentOf(folder.path() + "/target"), "new");
}

TEST(AtomicFile, RefusesWhatWasReadAlsoThroughLinks) {
  const TempDir folder;
  const std::string path = folder.path() + "/in", soft = folder.path() + "/soft",
                    hard = folder.path() + "/hard";
  Make(path, "data");
  fs::create_symlink("in", soft);
  fs::create_hard_link(path, hard);
  EXPECT_EQ(InChild([&] {
              ProtectInputs();
              NoteInput(path);
              return !WriteFile(path, "x") && !WriteFile(soft, "x") && !WriteFile(hard, "x") &&
                     WriteFile(folder.path() + "/other", "x");
            }),
            0);
  EXPECT_EQ(ContentOf(path), "data");
  EXPECT_FALSE(CheckNotInput(hard, std::vector{path}));
  EXPECT_TRUE(CheckNotInput(folder.path() + "/other", std::vector{path}));
  EXPECT_TRUE(CheckNotInput("/dev/null", std::vector{std::string("/dev/null")}));
}

TEST(WriteDirectory, AppearsWholeAndKeepsOtherFiles) {
  const TempDir folder;
  const std::string directory = folder.path() + "/a/tables";
  const std::vector<NamedContent> files{{"ops.csv", "1"}, {"kernels.csv", "2"}};
  ASSERT_TRUE(WriteDirectory(directory + "/", files));
  EXPECT_EQ(ContentOf(directory + "/kernels.csv"), "2");
  Make(directory + "/mine.txt", "mine");
  const std::vector<NamedContent> again{{"ops.csv", "3"}};
  ASSERT_TRUE(WriteDirectory(directory, again));
  EXPECT_EQ(ContentOf(directory + "/ops.csv"), "3");
  EXPECT_EQ(ContentOf(directory + "/mine.txt"), "mine");
  EXPECT_EQ(FilesIn(directory), 3);
  EXPECT_EQ(FilesIn(folder.path() + "/a"), 1);
}

TEST(WriteDirectory, AFullDiskLeavesNothing) {
  const TempDir folder;
  const std::string directory = folder.path() + "/tables";
  EXPECT_EQ(InChild([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{4096, 4096};
              setrlimit(RLIMIT_FSIZE, &limit);
              const std::string big(100'000, 'x');
              const std::vector<NamedContent> files{{"small.csv", "1"}, {"big.csv", big}};
              return !WriteDirectory(directory, files);
            }),
            0);
  EXPECT_EQ(FilesIn(folder.path()), 0);
}

// A library that opens files by name (SQLite) writes where temporary() says.
TEST(AtomicFile, ANamedFileIsReplacedWhole) {
  const TempDir folder;
  const std::string path = folder / "a.sqlite";
  std::ofstream(path) << "old";
  std::ofstream(folder / ".a.sqlite.stepscope-tmp-999999999-1") << "of a killed run";
  {
    Result<AtomicFile> dropped = AtomicFile::CreateNamed(path, Overwrite::kAllowed);
    ASSERT_TRUE(dropped);
    EXPECT_TRUE(IsTemporaryName(dropped->temporary()));
    std::ofstream(dropped->temporary()) << "half";
  }
  EXPECT_EQ(FilesIn(folder.path()), 1);
  Result<AtomicFile> file = AtomicFile::CreateNamed(path, Overwrite::kAllowed);
  ASSERT_TRUE(file);
  std::ofstream(file->temporary()) << "new";
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(FilesIn(folder.path()), 1);
  std::string content;
  std::ifstream(path) >> content;
  EXPECT_EQ(content, "new");
  EXPECT_FALSE(AtomicFile::CreateNamed("/dev/null", Overwrite::kAllowed));
  EXPECT_FALSE(AtomicFile::CreateNamed("-", Overwrite::kAllowed));
}

// What a kill leaves of a directory has a name of its own, and the next run removes it.
TEST(WriteDirectory, LeftoversOfAKilledRunGoWithTheNext) {
  const TempDir folder;
  const std::string left = folder.path() + "/.tables.stepscope-tmp-999999999-1";
  fs::create_directory(left);
  EXPECT_TRUE(IsTemporaryName(left));
  const std::vector<NamedContent> files{{"ops.csv", "1"}};
  ASSERT_TRUE(WriteDirectory(folder.path() + "/tables", files));
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace stepscope
