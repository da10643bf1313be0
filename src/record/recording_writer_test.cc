#include "record/recording_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/ids.h"
#include "base/testing/temp_dir.h"
#include "read/recording/recording_file.h"

namespace stepscope {
namespace {

using recording::ReadRecordingFile;
using recording::RecordingFile;

std::string Content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void Replace(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// Three blocks' worth of samples, each flushed by itself.
void WriteSample(const std::string& path) {
  RecordingWriter writer;
  ASSERT_TRUE(writer.Open(path));
  writer.Fact("pid", "7");
  writer.Clock();
  for (int i = 0; i < 3; ++i) {
    const uint32_t main = writer.Stack(kNoRow, "main", "a.py", 10);
    const uint32_t work = writer.Stack(main, "work", "a.py", 20 + i);
    writer.Sample(1000 + 10 * i, 10, 7, work, false);
    writer.Counter(1000 + 10 * i, "CPU", "cores", 0.5 * i);
    writer.Flush();
  }
  writer.End(2000, 3, 0);
}

TEST(RecordingWriter, WhatIsWrittenIsRead) {
  const TempDir folder;
  const std::string path = folder.path() + "/x.ssrec";
  WriteSample(path);
  Diagnostics diagnostics;
  const Result<RecordingFile> file = ReadRecordingFile(path, diagnostics);
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(diagnostics.entries().empty());
  EXPECT_EQ(file->NumberOf("pid", 0), 7);
  ASSERT_EQ(file->samples.size(), 3u);
  EXPECT_EQ(file->samples[2].time.ns, 1020);
  const PythonStack& stack = file->stacks[file->samples[2].stack];
  EXPECT_EQ(file->lines[stack.line].function, "work");
  EXPECT_EQ(file->lines[stack.line].line, 22);
  EXPECT_EQ(file->lines[file->stacks[stack.caller].line].function, "main");
  ASSERT_EQ(file->counters.size(), 3u);
  EXPECT_EQ(file->counters[1].value, 0.5);
  EXPECT_EQ(file->strings[file->counters[1].name], "CPU");
  EXPECT_EQ(file->end->exit_code, 3);
  EXPECT_EQ(file->end_ns, 2000);
}

// kill -9 may stop a write after any byte.
TEST(RecordingWriter, AFileCutAtAnyByteIsReadUpToTheCut) {
  const TempDir folder;
  const std::string path = folder.path() + "/x.ssrec";
  WriteSample(path);
  const std::string whole = Content(path);
  size_t most = 0;
  for (size_t cut = recording::kFileHeaderBytes; cut <= whole.size(); ++cut) {
    Replace(path, whole.substr(0, cut));
    Diagnostics diagnostics;
    const Result<RecordingFile> file = ReadRecordingFile(path, diagnostics);
    ASSERT_TRUE(file.has_value()) << cut;
    EXPECT_GE(file->samples.size(), most) << cut;
    EXPECT_EQ(file->unusable_rows, 0u) << cut;
    most = file->samples.size();
  }
  EXPECT_EQ(most, 3u);
}

// One wrong byte costs the block it is in; the others are read, and the loss is told.
TEST(RecordingWriter, AWrongByteCostsOneBlock) {
  const TempDir folder;
  const std::string path = folder.path() + "/x.ssrec";
  WriteSample(path);
  const std::string whole = Content(path);
  for (size_t at = recording::kFileHeaderBytes; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    Replace(path, damaged);
    Diagnostics diagnostics;
    const Result<RecordingFile> file = ReadRecordingFile(path, diagnostics);
    ASSERT_TRUE(file.has_value()) << at;
    EXPECT_GT(diagnostics.CountOf(Diagnostic::kRecordingDamaged), 0u) << at;
    // A lost block of strings or stacks makes rows that name them unusable, and those are counted.
    const size_t rows = file->samples.size() + file->counters.size() + file->unusable_rows;
    EXPECT_EQ(rows, file->rows) << at;
    EXPECT_GE(rows, 5u) << at;
  }
}

TEST(RecordingWriter, AFullDiskEndsWritingAndSaysWhy) {
  RecordingWriter writer;
  EXPECT_FALSE(writer.Open("/dev/full/x"));
  EXPECT_FALSE(writer.error().empty());
  writer.Fact("pid", "7");
  writer.Flush();  // no harm
  RecordingWriter nowhere;
  EXPECT_FALSE(nowhere.Open("/no/such/folder/x"));
}

}  // namespace
}  // namespace stepscope
