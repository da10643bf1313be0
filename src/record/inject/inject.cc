#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/inject/block_file.h"
#include "record/inject/cupti.h"
#include "record/inject/nvtx.h"
#include "record/inject/records.h"

// What the CUDA driver loads through CUDA_INJECTION64_PATH when a program first uses it: CUPTI's
// activity records, without a subscriber, written as they come. Nothing here may throw or print.
namespace stepscope_inject {
namespace {

constexpr size_t kBufferBytes = size_t{4} << 20;
constexpr int kKeptBuffers = 8;
// The calls that start work or wait for it. Others say little and come by the million.
constexpr const char* kWorthRecording[] = {"Launch", "Memcpy", "Memset", "Synchronize"};
constexpr uint32_t kAlways[] = {kDevice, kConcurrentKernel, kMemcpy, kMemset, kMemcpyPeer};
constexpr uint32_t kWithCalls[] = {kRuntimeCall, kSynchronization, kOverhead};

const Cupti* cupti = nullptr;
pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
uint8_t* pool[kKeptBuffers];
int pooled = 0;
volatile bool stopping = false, paused = false;
uint64_t dropped_records = 0;
int64_t paused_since = 0;
bool calls_on = false;

void RequestBuffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  pthread_mutex_lock(&pool_lock);
  *buffer = pooled > 0 ? pool[--pooled] : nullptr;
  pthread_mutex_unlock(&pool_lock);
  if (*buffer == nullptr) *buffer = static_cast<uint8_t*>(calloc(1, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CompleteBuffer(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t valid) {
  if (buffer == nullptr) return;
  AddRecords(*cupti, buffer, valid);
  // Outside every lock of ours: it enters CUPTI again.
  size_t dropped = 0;
  if (cupti->GetNumDropped(context, stream, &dropped) == 0 && dropped > 0) {
    dropped_records += dropped;
    AddLoss(NowNs(), NowNs(), dropped, "CUPTI dropped records: its buffers were full");
  }
  memset(buffer, 0, kBufferBytes);  // here, not in the thread that launches kernels
  pthread_mutex_lock(&pool_lock);
  if (pooled < kKeptBuffers) {
    pool[pooled++] = buffer;
    buffer = nullptr;
  }
  pthread_mutex_unlock(&pool_lock);
  free(buffer);
}

uint64_t Timestamp() { return static_cast<uint64_t>(NowNs()); }

void SwitchGettersOff() {
  if (cupti->EnableRuntimeApi == nullptr) return;
  constexpr uint32_t kRuntimeDomain = 2, kMostCalls = 1024;
  for (uint32_t call = 1; call < kMostCalls; ++call) {
    const char* name = nullptr;
    if (cupti->GetCallbackName(kRuntimeDomain, call, &name) != 0 || name == nullptr) continue;
    bool wanted = false;
    for (const char* word : kWorthRecording) wanted |= strstr(name, word) != nullptr;
    if (!wanted) cupti->EnableRuntimeApi(call, 0);
  }
}

void SwitchCalls(bool on) {
  if (on == calls_on) return;
  calls_on = on;
  for (const uint32_t kind : kWithCalls) on ? cupti->Enable(kind) : cupti->Disable(kind);
  if (on) SwitchGettersOff();
  AddFact(on ? "calls_from" : "calls_to", "");
}

// A PyTorch in Python may start its own profiler, which then finds CUPTI taken and records nothing.
// Only the hook sees that coming; without it the GPU is left to PyTorch.
bool MustLeaveToTorch() {
  const bool has_torch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD) != nullptr;
  const bool has_python = dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr;
  return has_torch && has_python && getenv("STEPSCOPE_HOOK_PAUSES") == nullptr;
}

// CUPTI then spares itself the zeroing of each buffer in the thread that launches kernels.
void PromiseZeroedBuffers() {
  constexpr uint32_t kZeroedBuffers = 5;
  uint8_t on = 1;
  size_t size = sizeof on;
  if (cupti->SetAttribute != nullptr) cupti->SetAttribute(kZeroedBuffers, &size, &on);
}

bool Start() {
  constexpr uint32_t kSystemIds = 1;
  PromiseZeroedBuffers();
  if (cupti->SetThreadIdType != nullptr) cupti->SetThreadIdType(kSystemIds);
  if (cupti->RegisterTimestamp != nullptr) cupti->RegisterTimestamp(Timestamp);
  if (cupti->RegisterCallbacks(RequestBuffer, CompleteBuffer) != 0) return false;
  bool any = false;
  for (const uint32_t kind : kAlways) any |= cupti->Enable(kind) == 0;
  return any;
}

double Seconds(const char* name, double otherwise) {
  const char* text = getenv(name);
  return text == nullptr || *text == 0 ? otherwise : atof(text);
}

// Hands complete buffers over twice a second, so that a killed program loses little, and records
// calls for a while: they cost more than kernels and copies.
void* FlushThread(void*) {
  const int64_t started = NowNs();
  const double from = Seconds("STEPSCOPE_CALLS_AFTER", 5),
               length = Seconds("STEPSCOPE_CALLS_FOR", 10);
  int64_t clock = 0;
  while (!stopping) {
    const timespec pause{0, 500000000};
    nanosleep(&pause, nullptr);
    if (paused || stopping) continue;
    const double elapsed = static_cast<double>(NowNs() - started) / 1e9;
    SwitchCalls(elapsed >= from && elapsed < from + length);
    cupti->FlushAll(0);
    if (NowNs() - clock > 1000000000) {
      clock = NowNs();
      AddClock();
    }
    Flush();
  }
  return nullptr;
}

void Finish() {
  if (stopping || cupti == nullptr || !IsOpen()) return;
  stopping = true;
  if (!paused) cupti->FlushAll(1);
  if (const uint64_t lost = RecordsWithoutTime()) {
    AddLoss(NowNs(), NowNs(), lost, "CUPTI could not collect the times of some kernels or copies");
  }
  AddClock();
  Flush();
}

// A forked child has neither our thread nor a usable CUDA.
void AfterFork() {
  stopping = true;
  ForgetFile();
}

}  // namespace
}  // namespace stepscope_inject

using namespace stepscope_inject;

#define STEPSCOPE_EXPORT extern "C" __attribute__((visibility("default")))

STEPSCOPE_EXPORT int InitializeInjection() {
  static bool begun = false;
  const char* directory = getenv("STEPSCOPE_RECORD_DIR");
  if (begun || directory == nullptr || *directory == 0) return 1;
  begun = true;
  if (!OpenFileOnce(directory)) return 1;
  if (MustLeaveToTorch()) {
    AddFact(
        "missing",
        "kernels of PyTorch are recorded by its own profiler: leave out --no-hook, or add it to "
        "the program");
    Flush();
    return 1;
  }
  const char* why = nullptr;
  cupti = FindCupti(&why);
  if (cupti == nullptr) {
    AddFact("missing", why);
    Flush();
    return 1;
  }
  uint32_t version = 0;
  cupti->GetVersion(&version);
  char text[32];
  snprintf(text, sizeof text, "%u", version);
  AddFact("cupti", text);
  if (!paused && !Start()) {
    AddFact("missing",
            "CUPTI is used by another tool (nsys, ncu, a debugger): kernels are not recorded");
    cupti = nullptr;
    Flush();
    return 1;
  }
  pthread_atfork(nullptr, nullptr, AfterFork);
  atexit(Finish);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, FlushThread, nullptr) == 0) pthread_detach(thread);
  return 1;
}

// The hook calls these around a profiler of the program's own, which needs CUPTI to itself.
STEPSCOPE_EXPORT void StepscopePause() {
  if (paused) return;
  paused = true;
  paused_since = NowNs();
  if (cupti == nullptr) return;  // not begun yet
  cupti->FlushAll(1);
  SwitchCalls(false);
  for (const uint32_t kind : kAlways) cupti->Disable(kind);
  cupti->FlushAll(1);
  Flush();
}

STEPSCOPE_EXPORT void StepscopeResume() {
  if (!paused) return;
  paused = false;
  if (cupti == nullptr) return;
  AddLoss(paused_since, NowNs(), 0,
          "the program's own torch.profiler had the GPU to itself: its kernels are in its profile");
  Start();
}
