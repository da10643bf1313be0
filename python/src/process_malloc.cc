// The extension is loaded so that it finds its own libraries before those of the same names that a
// framework has put into the process (stepscope/__init__.py). That must not hold for malloc: memory
// comes from one place and goes back there, be it libc or an allocator that was loaded in its
// stead. The linker sends all calls of the extension's own code here (cmake/python.cmake).
#include <dlfcn.h>

#include <cstddef>

namespace {

// What the program itself would call.
template <typename Function>
Function* OfProcess(const char* name) {
  return reinterpret_cast<Function*>(dlsym(dlopen(nullptr, RTLD_LAZY), name));
}

}  // namespace

extern "C" {

void* StepscopeMalloc(std::size_t size) asm("__wrap_malloc");
void* StepscopeCalloc(std::size_t count, std::size_t size) asm("__wrap_calloc");
void* StepscopeRealloc(void* memory, std::size_t size) asm("__wrap_realloc");
void* StepscopeAlignedAlloc(std::size_t alignment, std::size_t size) asm("__wrap_aligned_alloc");
void StepscopeFree(void* memory) asm("__wrap_free");

void* StepscopeMalloc(std::size_t size) {
  static auto* const call = OfProcess<void*(std::size_t)>("malloc");
  return call(size);
}
void* StepscopeCalloc(std::size_t count, std::size_t size) {
  static auto* const call = OfProcess<void*(std::size_t, std::size_t)>("calloc");
  return call(count, size);
}
void* StepscopeRealloc(void* memory, std::size_t size) {
  static auto* const call = OfProcess<void*(void*, std::size_t)>("realloc");
  return call(memory, size);
}
void* StepscopeAlignedAlloc(std::size_t alignment, std::size_t size) {
  static auto* const call = OfProcess<void*(std::size_t, std::size_t)>("aligned_alloc");
  return call(alignment, size);
}
void StepscopeFree(void* memory) {
  static auto* const call = OfProcess<void(void*)>("free");
  call(memory);
}

}  // extern "C"
