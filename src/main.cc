#include "base/memory.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  stepscope::ManageMemory();
  return stepscope::RunProgram(argc, argv);
}
