# For aarch64, compiled on another machine: Debian's cross compiler, and the libraries of STEPSCOPE_ROOT (python/build/aarch64-root).
#   cmake --preset aarch64
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
get_filename_component(STEPSCOPE_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/root ABSOLUTE)
set(CMAKE_SYSROOT ${STEPSCOPE_ROOT})
set(CMAKE_FIND_ROOT_PATH ${STEPSCOPE_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${STEPSCOPE_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${STEPSCOPE_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${STEPSCOPE_ROOT}/usr/share/pkgconfig)
# The extension is Debian's Python 3.11's: its headers are in the root, and the interpreter of the machine that builds says nothing of it.
set(Python_INCLUDE_DIR ${STEPSCOPE_ROOT}/usr/include/python3.11)
set(PYTHON_MODULE_EXTENSION .cpython-311-aarch64-linux-gnu.so)
