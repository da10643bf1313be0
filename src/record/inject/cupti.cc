#include "record/inject/cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

namespace stepscope_inject {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
constexpr const char* kFolders[] = {"/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64",
                                    "/usr/lib/x86_64-linux-gnu"};

// A copy that is already there first: two of them in one process fight.
void* OpenCupti() {
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  if (const char* given = getenv("STEPSCOPE_CUPTI")) {
    if (void* library = dlopen(given, RTLD_NOW)) return library;
  }
  for (const char* name : kNames) {
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  }
  for (const char* folder : kFolders) {
    for (const char* name : kNames) {
      char path[512];
      snprintf(path, sizeof path, "%s/%s", folder, name);
      if (void* library = dlopen(path, RTLD_NOW)) return library;
    }
  }
  return nullptr;
}

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const Cupti* FindCupti(const char** why) {
  static Cupti cupti;
  *why =
      "CUPTI (libcupti.so) is not found, so kernels are not recorded: install it (apt install "
      "libcupti-dev) or name it in STEPSCOPE_CUPTI";
  void* library = OpenCupti();
  if (library == nullptr) return nullptr;
  *why = "this CUPTI lacks functions that recording needs: use one of CUDA 12 or 13";
  const bool whole = Find(library, "cuptiGetVersion", cupti.GetVersion) &&
                     Find(library, "cuptiActivityRegisterCallbacks", cupti.RegisterCallbacks) &&
                     Find(library, "cuptiActivityEnable", cupti.Enable) &&
                     Find(library, "cuptiActivityDisable", cupti.Disable) &&
                     Find(library, "cuptiActivityFlushAll", cupti.FlushAll) &&
                     Find(library, "cuptiActivityGetNextRecord", cupti.GetNextRecord) &&
                     Find(library, "cuptiActivityGetNumDroppedRecords", cupti.GetNumDropped) &&
                     Find(library, "cuptiGetCallbackName", cupti.GetCallbackName);
  Find(library, "cuptiActivityRegisterTimestampCallback", cupti.RegisterTimestamp);
  Find(library, "cuptiActivitySetAttribute", cupti.SetAttribute);
  Find(library, "cuptiActivityEnableRuntimeApi", cupti.EnableRuntimeApi);
  Find(library, "cuptiSetThreadIdType", cupti.SetThreadIdType);
  return whole ? &cupti : nullptr;
}

}  // namespace stepscope_inject
