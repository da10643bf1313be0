#pragma once

// Puts a file into the program when it is compiled: name_begin .. name_end, followed by a 0. `file`
// is a string literal with the whole path.
#define STEPSCOPE_EMBED(name, file)                              \
  __asm__(".pushsection .rodata\n.balign 16\n.hidden " #name     \
          "_begin\n"                                             \
          ".global " #name "_begin\n" #name                      \
          "_begin:\n"                                            \
          ".incbin \"" file                                      \
          "\"\n"                                                 \
          ".hidden " #name "_end\n.global " #name "_end\n" #name \
          "_end:\n"                                              \
          ".byte 0\n.popsection\n");                             \
  extern "C" const char name##_begin[], name##_end[]
