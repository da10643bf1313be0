#pragma once

#include <stddef.h>
#include <stdint.h>

// CUPTI as it is found at run time: its C functions by name, its records by offset. Nothing of its
// headers is needed, and a program without it loses nothing.
namespace stepscope_inject {

// Activity kinds.
enum ActivityKind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriverCall = 4,
  kRuntimeCall = 5,
  kDevice = 8,
  kConcurrentKernel = 10,  // never KERNEL (3), which makes kernels run one after the other
  kOverhead = 17,
  kMemcpyPeer = 22,
  kSynchronization = 38,
};

struct Cupti {
  uint32_t (*GetVersion)(uint32_t*);
  uint32_t (*RegisterCallbacks)(void (*)(uint8_t**, size_t*, size_t*),
                                void (*)(void*, uint32_t, uint8_t*, size_t, size_t));
  uint32_t (*Enable)(uint32_t kind);
  uint32_t (*Disable)(uint32_t kind);
  uint32_t (*FlushAll)(uint32_t flag);
  uint32_t (*GetNextRecord)(uint8_t* buffer, size_t size, uint8_t** record);
  uint32_t (*GetNumDropped)(void* context, uint32_t stream, size_t* dropped);
  uint32_t (*RegisterTimestamp)(uint64_t (*)());
  uint32_t (*GetCallbackName)(uint32_t domain, uint32_t cbid, const char** name);
  uint32_t (*EnableRuntimeApi)(uint32_t cbid, uint8_t on);  // since 12.5, else null
  uint32_t (*SetAttribute)(uint32_t attribute, size_t* size, void* value);
  uint32_t (*SetThreadIdType)(uint32_t type);  // likewise; 1: the system's numbers
};

// Null when there is no CUPTI; `why` then says what to do.
const Cupti* FindCupti(const char** why);

}  // namespace stepscope_inject
