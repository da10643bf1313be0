# Warnings are errors; the linker and ccache are used where present. Leaving fields out of a designated initializer is how
# defaults are asked for, so that is no warning.
# -pthread for all: the rooms share one precompiled header, so they need the same flags.
add_compile_options(-pthread -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -Werror -fvisibility=hidden)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++-12 sees overlapping and endless copies inside std::string's own operators when it optimises; that is its bug.
  add_compile_options(-Wcast-align=strict -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
else()
  # libstdc++-12's own stable_sort uses what it declares deprecated. ccache needs precompiled headers without time stamps.
  add_compile_options(-Wno-deprecated-declarations "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(STEPSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${STEPSCOPE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STEPSCOPE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++-12 takes std::optional for uninitialised under its sanitizers.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the checkout count relatively, so that several checkouts share one cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
find_program(LLD ld.lld)
# A cross compiler looks for a linker that is called after its machine.
if(LLD AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=lld)
endif()
