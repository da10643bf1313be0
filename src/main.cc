#include "cli/program.h"

int main(int argc, char** argv) { return stepscope::RunProgram(argc, argv); }
