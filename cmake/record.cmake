# What `stepscope record` carries inside and puts beside a program: the Python hook, and a library that CUDA and NVTX load.
# The library runs in programs of others: C functions only, no exceptions, nothing that it needs beside libc.
file(GLOB inject_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/record/inject/*.cc)
add_library(stepscope_inject MODULE ${inject_sources})
set(inject_library ${CMAKE_BINARY_DIR}/inject/libstepscope_inject.so)
set_target_properties(stepscope_inject PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/inject UNITY_BUILD OFF)
target_include_directories(stepscope_inject PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(stepscope_inject PRIVATE -fno-exceptions -fno-rtti -fno-threadsafe-statics -g0 -O2)
target_link_options(stepscope_inject PRIVATE -static-libgcc -static-libstdc++ -Wl,--as-needed -s)
target_link_libraries(stepscope_inject PRIVATE ${CMAKE_DL_LIBS})
if(STEPSCOPE_SANITIZE)
  target_compile_options(stepscope_inject PRIVATE -fno-sanitize=all)
  target_link_options(stepscope_inject PRIVATE -fno-sanitize=all)
endif()

file(GLOB hook_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/record/hook/*.py)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/record/hook_files.cc PROPERTIES
  OBJECT_DEPENDS "${hook_files};${inject_library}"
  COMPILE_DEFINITIONS "STEPSCOPE_HOOK_DIR=\"${CMAKE_SOURCE_DIR}/src/record/hook\";STEPSCOPE_INJECT_DIR=\"${CMAKE_BINARY_DIR}/inject\"")
add_dependencies(stepscope_record stepscope_inject)
