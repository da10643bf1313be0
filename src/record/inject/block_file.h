#pragma once

#include <stddef.h>
#include <stdint.h>

// Appends blocks to a recording from inside another program: libc only, no exceptions, no
// allocation but the fixed buffers. The format is that of read/recording/format.h. Calls come from
// many threads; one lock keeps rows whole.
namespace stepscope_inject {

int64_t NowNs();  // CLOCK_MONOTONIC

enum BlockType : uint8_t {
  kStrings = 1,
  kKernels = 2,
  kCopies = 3,
  kCalls = 4,
  kSyncs = 5,
  kClock = 9,
  kFacts = 10,
  kLoss = 11,
  kRanges = 14,
  kOverheads = 15,
  kDevices = 16,
};

// False when the file cannot be made: nothing is recorded then.
bool OpenFile(const char* directory);
// After a fork: the file is the parent's.
void ForgetFile();
bool IsOpen();
// The number of a string; its definition is written ahead of the rows that use it. `kept`, where
// given, receives our own copy of the text, which lives as long as the process.
uint32_t Intern(const char* text, const char** kept = nullptr);
void AddRow(BlockType type, int64_t time, const void* row, size_t size);

// Rows that wait to be added together, each behind its head: one lock for thousands of them.
struct RowHead {
  int64_t time;
  uint32_t type, size;
};
void AddRows(const char* heads_and_rows, size_t size);
void AddFact(const char* key, const char* value);
void AddLoss(int64_t from, int64_t to, uint64_t count, const char* reason);
void AddClock();
void Flush();

}  // namespace stepscope_inject
