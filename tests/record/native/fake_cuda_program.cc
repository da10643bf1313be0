// A CUDA program without CUDA: it loads what CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH name,
// as the driver and NVTX do, and runs steps of one copy and two kernels. Arguments: number of
// steps, then how it ends (return, _exit, abort, kill).
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

namespace {

using Function = void (*)();

// NVTX as the library sees it: slots that it fills.
Function push_a = nullptr, pop = nullptr;
Function* core[16] = {};

int GetTable(int module, Function*** table, unsigned* count) {
  static Function* none[16] = {};
  core[9] = &push_a;
  core[11] = &pop;
  *table = module == 1 ? core : none;
  *count = 16;
  return 1;
}
struct Callbacks {
  size_t size;
  int (*get_table)(int, Function***, unsigned*);
} callbacks = {sizeof(Callbacks), GetTable};
const void* GetExportTable(uint32_t id) { return id == 1 ? &callbacks : nullptr; }

template <typename T>
T Find(void* library, const char* name) {
  return reinterpret_cast<T>(dlsym(library, name));
}

void Sleep(long ns) {
  const timespec time{0, ns};
  nanosleep(&time, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  const char* end = argc > 2 ? argv[2] : "return";
  const char* cuda = getenv("CUDA_INJECTION64_PATH");
  const char* nvtx = getenv("NVTX_INJECTION64_PATH");
  void* cupti = dlopen("libcupti.so.12", RTLD_NOW);
  if (cupti == nullptr) return 3;
  if (void* library = cuda != nullptr ? dlopen(cuda, RTLD_NOW) : nullptr) {
    if (auto* begin = Find<int (*)()>(library, "InitializeInjection")) begin();
  }
  if (void* library = nvtx != nullptr ? dlopen(nvtx, RTLD_NOW) : nullptr) {
    using Get = const void* (*)(uint32_t);
    if (auto* begin = Find<int (*)(Get)>(library, "InitializeInjectionNvtx2"))
      begin(GetExportTable);
  }
  auto* now = Find<uint64_t (*)()>(cupti, "FakeNow");
  auto* call = Find<void (*)(uint32_t, uint64_t, uint64_t, uint32_t)>(cupti, "FakeCall");
  auto* kernel = Find<void (*)(const char*, uint64_t, uint64_t, uint32_t)>(cupti, "FakeKernel");
  auto* copy = Find<void (*)(uint64_t, uint64_t, uint64_t, uint32_t)>(cupti, "FakeCopy");
  uint32_t correlation = 1;
  for (int step = 0; step < steps; ++step) {
    if (push_a != nullptr) reinterpret_cast<int (*)(const char*)>(push_a)("step");
    const uint64_t start = now();
    call(2, start, start + 10'000, correlation);
    copy(4096, start + 20'000, start + 120'000, correlation++);
    for (const char* name : {"matmul_kernel", "relu_kernel"}) {
      const uint64_t launch = now();
      call(1, launch, launch + 5'000, correlation);
      call(3, launch, launch + 100, 0);  // a getter: not worth recording
      kernel(name, launch + 200'000, launch + 900'000, correlation++);
      Sleep(1'000'000);
    }
    if (pop != nullptr) reinterpret_cast<int (*)()>(pop)();
  }
  printf("ran %d steps\n", steps);
  fflush(stdout);
  if (strcmp(end, "return") != 0) Sleep(600'000'000);  // the library writes five times a second
  if (strcmp(end, "_exit") == 0) _exit(4);
  if (strcmp(end, "abort") == 0) abort();
  if (strcmp(end, "kill") == 0) kill(getpid(), SIGKILL);
  return 0;
}
