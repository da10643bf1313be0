#include <malloc.h>

#include "cli/program.h"

int main(int argc, char** argv) {
#if defined(M_MMAP_THRESHOLD)
  // Large columns come straight from the system and go back to it when they are freed, whatever was
  // freed before: a fifth less memory at the peak of a large trace.
  constexpr int kMappedFrom = 512 << 10;
  mallopt(M_MMAP_THRESHOLD, kMappedFrom);
#endif
  return stepscope::RunProgram(argc, argv);
}
