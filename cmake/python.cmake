# The extension module of the Python package, python/stepscope/_native.ABI.so, for the interpreter that
# Python_EXECUTABLE names. It takes the rooms' objects as they are (all of them are position independent) and shows the
# process nothing but its entry point, so that it lives beside frameworks that bring libraries of the same names.
set(STEPSCOPE_PYTHON_DIR ${CMAKE_SOURCE_DIR}/python/stepscope CACHE PATH "Where the extension module goes")
set(PYBIND11_FINDPYTHON ON)
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 REQUIRED)
file(GLOB python_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/src/*.cc)
pybind11_add_module(stepscope_python MODULE NO_EXTRAS ${python_sources})
target_include_directories(stepscope_python PRIVATE ${CMAKE_SOURCE_DIR}/python/src)
# Glue: the engine's own objects are optimised as everywhere, and pybind11 takes three times as long to compile at -O3.
target_compile_options(stepscope_python PRIVATE $<$<CONFIG:Release>:-O1>)
set_source_files_properties(${CMAKE_SOURCE_DIR}/python/src/events_log.cc ${CMAKE_SOURCE_DIR}/python/src/table_rows.cc PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
target_compile_definitions(stepscope_python PRIVATE STEPSCOPE_VERSION="${STEPSCOPE_VERSION}")
target_link_libraries(stepscope_python PRIVATE stepscope_cli)
target_link_options(stepscope_python PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL
                    -Wl,--version-script=${CMAKE_SOURCE_DIR}/python/src/exports.map
                    -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free)
set_target_properties(stepscope_python PROPERTIES OUTPUT_NAME _native LINK_DEPENDS ${CMAKE_SOURCE_DIR}/python/src/exports.map
                      LIBRARY_OUTPUT_DIRECTORY ${STEPSCOPE_PYTHON_DIR})
