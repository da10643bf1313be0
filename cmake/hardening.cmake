# What a fault in memory handling meets in the released program: a canary on the stack, checked copies, tables that are read
# only once the program is loaded, addresses that nobody can foresee, and jumps that end at marked places only. Everything is
# compiled with the same flags, because all rooms share one precompiled header. tests/run-hardening reads the program.
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-fstack-protector-strong)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-fcf-protection=full)
endif()
if(NOT STEPSCOPE_SANITIZE)
  # Needs optimisation, and the sanitizers check more.
  add_compile_options($<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
endif()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
