// Stands in for CUPTI: the functions that the recorder's library looks for, and records laid out as
// NVIDIA's headers lay them out (CUDA 12 and 13). FakeLaunch and the like put records into buffers.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Request = void (*)(uint8_t**, size_t*, size_t*);
using Complete = void (*)(void*, uint32_t, uint8_t*, size_t, size_t);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
Request request = nullptr;
Complete complete = nullptr;
uint64_t (*timestamp)() = nullptr;
bool enabled[64];
bool call_off[1024];
uint8_t* buffer = nullptr;
size_t buffer_size = 0, used = 0;

size_t SizeOf(uint32_t kind) {
  switch (kind) {
    case 10:
      return 216;  // Kernel10, of CUDA 13.0
    case 1:
      return 96;
    case 2:
      return 88;
    case 8:
      return 184;
    case 17:
      return 56;
    case 38:
      return 56;
    default:
      return 40;
  }
}

uint64_t Now() {
  if (timestamp != nullptr) return timestamp();
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void Deliver() {
  pthread_mutex_lock(&lock);
  uint8_t* full = buffer;
  const size_t size = buffer_size, valid = used;
  buffer = nullptr;
  used = 0;
  pthread_mutex_unlock(&lock);
  if (full != nullptr) complete(nullptr, 0, full, size, valid);
}

void Add(const uint8_t* record, uint32_t kind) {
  const size_t size = SizeOf(kind);
  if (kind >= 64 || !enabled[kind] || request == nullptr) return;
  if (buffer != nullptr && used + size > buffer_size) Deliver();
  pthread_mutex_lock(&lock);
  if (buffer == nullptr) {
    size_t most = 0;
    request(&buffer, &buffer_size, &most);
  }
  if (buffer != nullptr) {
    memcpy(buffer + used, record, size);
    used += size;
  }
  pthread_mutex_unlock(&lock);
}

struct Record {
  uint8_t bytes[256] = {};
  template <typename T>
  void Put(size_t offset, T value) {
    memcpy(bytes + offset, &value, sizeof value);
  }
};

}  // namespace

EXPORT uint32_t cuptiGetVersion(uint32_t* version) {
  *version = 130001;
  return 0;
}
EXPORT uint32_t cuptiActivityRegisterCallbacks(Request r, Complete c) {
  if (getenv("FAKE_CUPTI_TAKEN") != nullptr) return 39;
  request = r;
  complete = c;
  return 0;
}
EXPORT uint32_t cuptiActivityEnable(uint32_t kind) {
  enabled[kind] = true;
  if (kind != 8) return 0;
  Record device;
  device.Put(0, kind);
  device.Put(16, uint64_t{1} << 37);
  device.Put(44, uint32_t{132});
  device.Put(104, uint32_t{9});
  device.Put(112, uint32_t{0});
  device.Put(136, "Fake H200");
  Add(device.bytes, kind);
  return 0;
}
EXPORT uint32_t cuptiActivityDisable(uint32_t kind) {
  enabled[kind] = false;
  return 0;
}
EXPORT uint32_t cuptiActivityFlushAll(uint32_t) {
  Deliver();
  return 0;
}
EXPORT uint32_t cuptiActivityGetNextRecord(uint8_t* at, size_t valid, uint8_t** record) {
  uint8_t* next = at;
  if (*record != nullptr) {
    uint32_t kind;
    memcpy(&kind, *record, sizeof kind);
    next = *record + SizeOf(kind);
  }
  if (next >= at + valid) return 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED
  *record = next;
  return 0;
}
EXPORT uint32_t cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  static bool told = false;
  *dropped = getenv("FAKE_CUPTI_DROPS") != nullptr && !told ? 7 : 0;
  told = true;
  return 0;
}
EXPORT uint32_t cuptiActivityRegisterTimestampCallback(uint64_t (*now)()) {
  timestamp = now;
  return 0;
}
EXPORT uint32_t cuptiSetThreadIdType(uint32_t) { return 0; }
EXPORT uint32_t cuptiGetCallbackName(uint32_t, uint32_t call, const char** name) {
  static const char* const kNames[] = {"", "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020",
                                       "cudaGetDevice_v3020", "cudaStreamSynchronize_v3020"};
  if (call == 0 || call > 4) return 1;
  *name = kNames[call];
  return 0;
}
EXPORT uint32_t cuptiActivityEnableRuntimeApi(uint32_t call, uint8_t on) {
  call_off[call] = on == 0;
  return 0;
}

// ---- What the fake program calls.

EXPORT uint64_t FakeNow() { return Now(); }

EXPORT void FakeCall(uint32_t call, uint64_t start, uint64_t end, uint32_t correlation) {
  if (call_off[call]) return;
  Record record;
  record.Put(0, uint32_t{5});
  record.Put(4, call);
  record.Put(8, start);
  record.Put(16, end);
  record.Put(24, static_cast<uint32_t>(getpid()));
  record.Put(28, static_cast<uint32_t>(syscall(SYS_gettid)));
  record.Put(32, correlation);
  Add(record.bytes, 5);
}

EXPORT void FakeKernel(const char* name, uint64_t start, uint64_t end, uint32_t correlation) {
  Record record;
  record.Put(0, uint32_t{10});
  record.Put(6, uint16_t{64});
  record.Put(16, start);
  record.Put(24, end);
  record.Put(48, uint32_t{7});
  for (size_t i = 0; i < 3; ++i) {
    record.Put(52 + 4 * i, uint32_t{i == 0 ? 264u : 1u});
    record.Put(64 + 4 * i, uint32_t{i == 0 ? 128u : 1u});
  }
  record.Put(92, correlation);
  record.Put(104, name);
  Add(record.bytes, 10);
}

EXPORT void FakeCopy(uint64_t bytes, uint64_t start, uint64_t end, uint32_t correlation) {
  Record record;
  record.Put(0, uint32_t{1});
  record.Put(4, uint8_t{1});  // host to device
  record.Put(5, uint8_t{1});  // pageable
  record.Put(6, uint8_t{3});  // device
  record.Put(8, bytes);
  record.Put(16, start);
  record.Put(24, end);
  record.Put(40, uint32_t{7});
  record.Put(44, correlation);
  Add(record.bytes, 1);
}
