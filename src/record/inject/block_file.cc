#include "record/inject/block_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

namespace stepscope_inject {
namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;
constexpr int kTypes = 17;

struct Pending {
  char* bytes = nullptr;
  size_t size = 0;
  uint32_t rows = 0;
  int64_t first = 0, last = 0;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int file = -1;
Pending pending[kTypes];

// Strings by content: names of kernels are few and live only while their module is loaded.
struct Slot {
  char* text = nullptr;
  uint32_t id = 0;
};
Slot* slots = nullptr;
size_t slot_count = 0, string_count = 0;

// Eight bytes at a time: a byte at a time costs more than the rest of a row.
constexpr int kSlices = 8;
uint32_t crc_tables[kSlices][256];

void MakeCrcTables() {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? 0xEDB88320u : 0);
    crc_tables[0][i] = value;
  }
  for (int slice = 1; slice < kSlices; ++slice) {
    for (uint32_t i = 0; i < 256; ++i) {
      const uint32_t before = crc_tables[slice - 1][i];
      crc_tables[slice][i] = (before >> 8) ^ crc_tables[0][before & 0xff];
    }
  }
}

uint32_t Crc32(const char* bytes, size_t size, uint32_t crc) {
  crc = ~crc;
  for (; size >= kSlices; bytes += kSlices, size -= kSlices) {
    uint64_t next;
    memcpy(&next, bytes, sizeof next);
    next ^= crc;
    crc = 0;
    for (int i = 0; i < kSlices; ++i) {
      crc ^= crc_tables[kSlices - 1 - i][(next >> (8 * i)) & 0xff];
    }
  }
  for (; size > 0; ++bytes, --size) {
    crc = (crc >> 8) ^ crc_tables[0][(crc ^ static_cast<uint8_t>(*bytes)) & 0xff];
  }
  return ~crc;
}

void WriteAll(const char* bytes, size_t size) {
  while (file >= 0 && size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written > 0) {
      bytes += written;
      size -= static_cast<size_t>(written);
    } else if (errno != EINTR) {
      close(file);  // a full disk ends the recording, not the program
      file = -1;
    }
  }
}

template <typename T>
void Put(char*& at, T value) {
  memcpy(at, &value, sizeof value);
  at += sizeof value;
}

// The payload begins after room for the header, so that a block is one write.
constexpr size_t kHeaderBytes = 40;

void WriteBlock(int type) {
  Pending& block = pending[type];
  if (block.rows == 0) return;
  char* at = block.bytes;
  memcpy(at, "SSB1", 4);
  at += 4;
  Put(at, static_cast<uint8_t>(type));
  Put(at, uint8_t{0});
  Put(at, uint16_t{1});
  Put(at, static_cast<uint32_t>(block.size));
  Put(at, static_cast<uint32_t>(block.size));
  Put(at, block.first);
  Put(at, block.last);
  Put(at, block.rows);
  const uint32_t crc = Crc32(block.bytes + kHeaderBytes, block.size, Crc32(block.bytes + 4, 32, 0));
  Put(at, crc);
  WriteAll(block.bytes, kHeaderBytes + block.size);
  block.size = 0;
  block.rows = 0;
}

void FlushLocked() {
  WriteBlock(kFacts);
  WriteBlock(kStrings);
  for (int type = 0; type < kTypes; ++type) WriteBlock(type);
}

void AddLocked(BlockType type, int64_t time, const void* row, size_t size, const void* more,
               size_t more_size) {
  Pending& block = pending[type];
  if (file < 0 || kHeaderBytes + size + more_size > kBlockBytes) return;
  if (block.bytes == nullptr) block.bytes = static_cast<char*>(malloc(kBlockBytes));
  if (block.bytes == nullptr) return;
  if (kHeaderBytes + block.size + size + more_size > kBlockBytes) FlushLocked();
  memcpy(block.bytes + kHeaderBytes + block.size, row, size);
  block.size += size;
  if (more_size > 0) memcpy(block.bytes + kHeaderBytes + block.size, more, more_size);
  block.size += more_size;
  if (block.rows++ == 0) block.first = time;
  block.last = time;
}

uint64_t HashOf(const char* text) {
  uint64_t hash = 1469598103934665603ull;
  for (; *text != 0; ++text) hash = (hash ^ static_cast<uint8_t>(*text)) * 1099511628211ull;
  return hash;
}

bool GrowSlots() {
  const size_t bigger = slot_count == 0 ? 4096 : slot_count * 2;
  auto* table = static_cast<Slot*>(calloc(bigger, sizeof(Slot)));
  if (table == nullptr) return false;
  for (size_t i = 0; i < slot_count; ++i) {
    if (slots[i].text == nullptr) continue;
    size_t at = HashOf(slots[i].text) & (bigger - 1);
    while (table[at].text != nullptr) at = (at + 1) & (bigger - 1);
    table[at] = slots[i];
  }
  free(slots);
  slots = table;
  slot_count = bigger;
  return true;
}

class Locked {
 public:
  Locked() { pthread_mutex_lock(&lock); }
  ~Locked() { pthread_mutex_unlock(&lock); }
};

// The launcher's name for a process, as the recorder reads it.
const char* Rank() {
  for (const char* name : {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    const char* value = getenv(name);
    if (value != nullptr && *value != 0 && strspn(value, "0123456789") == strlen(value)) {
      return value;
    }
  }
  return nullptr;
}

int64_t ClockNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

}  // namespace

int64_t NowNs() { return ClockNs(CLOCK_MONOTONIC); }

bool OpenFile(const char* directory) {
  MakeCrcTables();
  char path[4096];
  const int pid = getpid();
  const char* rank = Rank();
  for (int attempt = 0; attempt < 100 && file < 0; ++attempt) {
    char number[16] = "";
    if (attempt > 0) snprintf(number, sizeof number, "-%d", attempt);
    if (rank != nullptr) {
      snprintf(path, sizeof path, "%s/rank%s-%d%s-gpu.ssrec", directory, rank, pid, number);
    } else {
      snprintf(path, sizeof path, "%s/process-%d%s-gpu.ssrec", directory, pid, number);
    }
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 && errno != EEXIST) return false;
  }
  if (file < 0) return false;
  const char header[16] = {'S', 'S', 'R', 'E', 'C', '\r', '\n', '\x1a', 1, 0, 0, 0, 0, 0, 0, 0};
  WriteAll(header, sizeof header);
  char text[16];
  snprintf(text, sizeof text, "%d", pid);
  AddFact("pid", text);
  if (rank != nullptr) AddFact("rank", rank);
  AddClock();
  Flush();
  return true;
}

void ForgetFile() {
  pthread_mutex_init(&lock, nullptr);
  if (file >= 0) close(file);
  file = -1;
  for (Pending& block : pending) block.size = block.rows = 0;
}

bool IsOpen() { return file >= 0; }

uint32_t Intern(const char* text, const char** kept) {
  if (text == nullptr) text = "";
  if (kept != nullptr) *kept = nullptr;
  const Locked guard;
  if (string_count * 2 >= slot_count && !GrowSlots()) return 0;
  size_t at = HashOf(text) & (slot_count - 1);
  for (; slots[at].text != nullptr; at = (at + 1) & (slot_count - 1)) {
    if (strcmp(slots[at].text, text) != 0) continue;
    if (kept != nullptr) *kept = slots[at].text;
    return slots[at].id;
  }
  char* copy = strdup(text);
  if (copy == nullptr) return 0;
  if (kept != nullptr) *kept = copy;
  slots[at].text = copy;
  slots[at].id = static_cast<uint32_t>(string_count++);
  size_t length = strlen(text);
  if (length > 65536) length = 65536;
  const uint32_t row[2] = {slots[at].id, static_cast<uint32_t>(length)};
  AddLocked(kStrings, NowNs(), row, sizeof row, text, length);
  return slots[at].id;
}

void AddRow(BlockType type, int64_t time, const void* row, size_t size) {
  const Locked guard;
  AddLocked(type, time, row, size, nullptr, 0);
}

void AddRows(const char* heads_and_rows, size_t size) {
  const Locked guard;
  RowHead head;
  for (size_t at = 0; at + sizeof head <= size; at += sizeof head + head.size) {
    memcpy(&head, heads_and_rows + at, sizeof head);
    AddLocked(static_cast<BlockType>(head.type), head.time, heads_and_rows + at + sizeof head,
              head.size, nullptr, 0);
  }
}

void AddFact(const char* key, const char* value) {
  const Locked guard;
  char row[1024];
  const uint32_t lengths[2] = {static_cast<uint32_t>(strlen(key)),
                               static_cast<uint32_t>(strlen(value))};
  const int size = snprintf(row, sizeof row, "%s%s", key, value);
  if (size < 0 || static_cast<size_t>(size) >= sizeof row) return;
  AddLocked(kFacts, NowNs(), lengths, sizeof lengths, row, static_cast<size_t>(size));
}

void AddLoss(int64_t from, int64_t to, uint64_t count, const char* reason) {
  const Locked guard;
  char row[28];
  char* at = row;
  Put(at, from);
  Put(at, to);
  Put(at, count);
  Put(at, static_cast<uint32_t>(strlen(reason)));
  AddLocked(kLoss, to, row, sizeof row, reason, strlen(reason));
}

void AddClock() {
  const int64_t before = NowNs();
  const int64_t realtime = ClockNs(CLOCK_REALTIME);
  const int64_t row[2] = {before + (NowNs() - before) / 2, realtime};
  AddRow(kClock, before, row, sizeof row);
}

void Flush() {
  const Locked guard;
  FlushLocked();
}

}  // namespace stepscope_inject
