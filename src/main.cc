#include "cli/program.h"
#include "large_pages.h"

int main(int argc, char** argv) {
  stepscope::ManageMemory();
  return stepscope::RunProgram(argc, argv);
}
