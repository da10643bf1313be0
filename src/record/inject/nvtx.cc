#include "record/inject/nvtx.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

#include "record/inject/block_file.h"

// What NVTX loads through NVTX_INJECTION64_PATH: ranges become rows when they end. Each copy of
// NVTX in a process calls the entry once and gets the same functions.
namespace stepscope_inject {
namespace {

constexpr int kDeepest = 128;
struct Open {
  int64_t start;
  uint32_t name, domain;
};
thread_local Open stack[kDeepest];
thread_local int depth = 0;

struct Domain {
  uint32_t name;
};
struct Registered {
  uint32_t name;
};

template <typename T>
T* Make(uint32_t name) {
  auto* made = static_cast<T*>(malloc(sizeof(T)));
  if (made != nullptr) made->name = name;
  return made;
}

// Ranges that begin in one thread and end in another.
constexpr uint32_t kStarted = 4096;
Open started[kStarted];
uint64_t next_id = 1;
pthread_mutex_t started_lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t InternWide(const wchar_t* text) {
  char narrow[1024];
  const size_t size = wcstombs(narrow, text == nullptr ? L"" : text, sizeof narrow - 1);
  narrow[size == static_cast<size_t>(-1) ? 0 : size] = 0;
  return Intern(narrow);
}

// nvtxEventAttributes: message type at 32 (1 ASCII, 2 wide, 3 registered), message at 40.
uint32_t MessageOf(const void* attributes) {
  if (attributes == nullptr) return Intern("range");
  int32_t type;
  const void* message;
  memcpy(&type, static_cast<const char*>(attributes) + 32, sizeof type);
  memcpy(&message, static_cast<const char*>(attributes) + 40, sizeof message);
  if (message == nullptr) return Intern("range");
  if (type == 1) return Intern(static_cast<const char*>(message));
  if (type == 2) return InternWide(static_cast<const wchar_t*>(message));
  if (type == 3) return static_cast<const Registered*>(message)->name;
  return Intern("range");
}

uint32_t NameOf(const Domain* domain) { return domain == nullptr ? Intern("") : domain->name; }

void Write(const Open& range) {
  struct {
    int64_t start, end;
    uint32_t thread, name, domain, zero;
  } row{range.start, NowNs(),      static_cast<uint32_t>(syscall(SYS_gettid)),
        range.name,  range.domain, 0};
  AddRow(kRanges, row.start, &row, sizeof row);
}

int Push(uint32_t name, uint32_t domain) {
  if (depth < kDeepest) stack[depth] = {NowNs(), name, domain};
  return depth++;
}

int Pop() {
  if (depth == 0) return -1;
  if (--depth < kDeepest) Write(stack[depth]);
  return depth;
}

uint64_t Begin(uint32_t name, uint32_t domain) {
  pthread_mutex_lock(&started_lock);
  const uint64_t id = next_id++;
  started[id % kStarted] = {NowNs(), name, domain};
  pthread_mutex_unlock(&started_lock);
  return id;
}

void End(uint64_t id) {
  pthread_mutex_lock(&started_lock);
  const bool known = id > 0 && id < next_id && next_id - id <= kStarted;
  const Open range = started[id % kStarted];
  pthread_mutex_unlock(&started_lock);
  if (known) Write(range);
}

// The functions themselves, as nvtx3 declares them.
uint64_t RangeStartEx(const void* attributes) { return Begin(MessageOf(attributes), Intern("")); }
uint64_t RangeStartA(const char* text) { return Begin(Intern(text), Intern("")); }
uint64_t RangeStartW(const wchar_t* text) { return Begin(InternWide(text), Intern("")); }
void RangeEnd(uint64_t id) { End(id); }
int RangePushEx(const void* attributes) { return Push(MessageOf(attributes), Intern("")); }
int RangePushA(const char* text) { return Push(Intern(text), Intern("")); }
int RangePushW(const wchar_t* text) { return Push(InternWide(text), Intern("")); }
int RangePop() { return Pop(); }
uint64_t DomainRangeStartEx(Domain* domain, const void* attributes) {
  return Begin(MessageOf(attributes), NameOf(domain));
}
void DomainRangeEnd(Domain*, uint64_t id) { End(id); }
int DomainRangePushEx(Domain* domain, const void* attributes) {
  return Push(MessageOf(attributes), NameOf(domain));
}
int DomainRangePop(Domain*) { return Pop(); }
Registered* RegisterStringA(Domain*, const char* text) { return Make<Registered>(Intern(text)); }
Registered* RegisterStringW(Domain*, const wchar_t* text) {
  return Make<Registered>(InternWide(text));
}
Domain* DomainCreateA(const char* name) { return Make<Domain>(Intern(name)); }
Domain* DomainCreateW(const wchar_t* name) { return Make<Domain>(InternWide(name)); }
void DomainDestroy(Domain* domain) { free(domain); }

using Function = void (*)();
struct Hook {
  unsigned id;
  Function function;
};
template <typename T>
Function As(T* function) {
  return reinterpret_cast<Function>(function);
}

struct Callbacks {
  size_t size;
  int (*GetModuleFunctionTable)(int module, Function*** table, unsigned* count);
};

template <size_t N>
void Patch(const Callbacks* callbacks, int module, const Hook (&hooks)[N]) {
  Function** table = nullptr;
  unsigned count = 0;
  if (callbacks->GetModuleFunctionTable(module, &table, &count) == 0 || table == nullptr) return;
  for (const Hook& hook : hooks) {
    if (hook.id < count && table[hook.id] != nullptr) *table[hook.id] = hook.function;
  }
}

}  // namespace

bool OpenFileOnce(const char* directory) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static bool opened = false;
  pthread_mutex_lock(&lock);
  if (!opened) opened = OpenFile(directory);
  pthread_mutex_unlock(&lock);
  return opened;
}

}  // namespace stepscope_inject

using namespace stepscope_inject;

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*get_export_table)(uint32_t)) {
  const char* directory = getenv("STEPSCOPE_RECORD_DIR");
  if (get_export_table == nullptr || directory == nullptr) return 0;
  constexpr uint32_t kCallbacksTable = 1;
  constexpr int kCore = 1, kCore2 = 5;
  const auto* callbacks = static_cast<const Callbacks*>(get_export_table(kCallbacksTable));
  if (callbacks == nullptr || callbacks->size < sizeof(Callbacks) || !OpenFileOnce(directory))
    return 0;
  const Hook core[] = {{4, As(RangeStartEx)}, {5, As(RangeStartA)}, {6, As(RangeStartW)},
                       {7, As(RangeEnd)},     {8, As(RangePushEx)}, {9, As(RangePushA)},
                       {10, As(RangePushW)},  {11, As(RangePop)}};
  const Hook core2[] = {
      {2, As(DomainRangeStartEx)}, {3, As(DomainRangeEnd)},   {4, As(DomainRangePushEx)},
      {5, As(DomainRangePop)},     {10, As(RegisterStringA)}, {11, As(RegisterStringW)},
      {12, As(DomainCreateA)},     {13, As(DomainCreateW)},   {14, As(DomainDestroy)}};
  Patch(callbacks, kCore, core);
  Patch(callbacks, kCore2, core2);
  return 1;
}
