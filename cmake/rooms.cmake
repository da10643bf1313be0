# The standard headers that most sources include, compiled once for all rooms and once more, with GoogleTest, for all tests:
# parsing them takes a third of a source's compile time. Only system headers: a header of ours that changes would rebuild all.
set(STEPSCOPE_COMMON_HEADERS <algorithm> <array> <charconv> <cmath> <cstdint> <cstring> <deque> <filesystem> <fstream>
    <functional> <limits> <map> <memory> <numeric> <optional> <set> <span> <string> <string_view> <tuple> <unordered_map>
    <unordered_set> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

# Small sources spend most of their compile time on headers that their neighbours read too. With STEPSCOPE_UNITY the
# sources of one directory are compiled together, STEPSCOPE_UNITY_SIZE at a time; this halves the time of a fresh build.
# What STEPSCOPE_ALONE matches stands alone: verbs and rules, each of which has its own Options, Run and kRules, embedded
# files, and sources that name something as a neighbour does.
set(STEPSCOPE_ALONE "/src/cli/|/src/diff/|_verb.cc$|_rules.cc$|_files.cc$")
foreach(source advise/lints io/tfrecord_file trace/name_tags trace/name_traits read/protobuf/text_printer read/nsys/host_tables
        read/run_metadata/run_metadata_trace link/forward_backward ranks/straggler_cause capture/profiler_service/watch_service
        present/advice_text present/advice_why present/flight present/table_rows present/report_json_tables export/parquet
        export/speedscope query/exported_table query/functions query/library query/plan query/sql_table tools/events/step_table
        tools/doctor/host_checks tools/graph/shape_onnx tools/data/read/thrift_compact tools/tfprof/tfprof_timeline
        tools/tfprof/trace_model tools/tfprof/tree_views tools/timeline/perfetto_timeline tools/timeline/timeline_py
        serve/diff_api serve/http_server)
  string(APPEND STEPSCOPE_ALONE "|/src/${source}.cc$")
endforeach()
set(STEPSCOPE_UNITY_SIZE 8)
function(stepscope_unity target)
  foreach(source ${ARGN})
    if(source MATCHES "${STEPSCOPE_ALONE}")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH directory)
    cmake_path(RELATIVE_PATH directory BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/src)
    # Sources that say messages declare the same name, Say: no two of them stand in one group.
    file(STRINGS ${source} says REGEX "^(constexpr SayFrom<|using Say )" LIMIT_COUNT 1)
    if(says)
      math(EXPR group "${saying_${directory}} + 0")
      math(EXPR saying_${directory} "${group} + 1")
    else()
      math(EXPR group "${count_${directory}} + 0")
      math(EXPR count_${directory} "${group} + 1")
      math(EXPR group "${group} / ${STEPSCOPE_UNITY_SIZE}")
    endif()
    string(MAKE_C_IDENTIFIER "${directory}_${group}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# stepscope_room(NAME [USES rooms...] [LIBS libraries...]): one static library of all .cc files below src/NAME that are
# not tests. Tests (foo_test.cc beside foo.cc) are gathered and built by stepscope_tests() into one program a room.
set_property(GLOBAL PROPERTY STEPSCOPE_ROOMS "")

function(stepscope_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/testing/|/record/inject/")
  if(NOT sources)
    add_library(stepscope_${name} INTERFACE)
    target_include_directories(stepscope_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    set(visibility INTERFACE)
  else()
    add_library(stepscope_${name} STATIC ${sources})
    target_include_directories(stepscope_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_compile_definitions(stepscope_${name} PRIVATE STEPSCOPE_VERSION="${STEPSCOPE_VERSION}")
    if(name STREQUAL base)
      target_precompile_headers(stepscope_base PRIVATE ${STEPSCOPE_COMMON_HEADERS})
    else()
      target_precompile_headers(stepscope_${name} REUSE_FROM stepscope_base)
    endif()
    if(STEPSCOPE_UNITY)
      stepscope_unity(stepscope_${name} ${sources})
    endif()
    set(visibility PUBLIC)
  endif()
  foreach(room ${ROOM_USES})
    target_link_libraries(stepscope_${name} ${visibility} stepscope_${room})
  endforeach()
  target_link_libraries(stepscope_${name} ${visibility} ${ROOM_LIBS} Threads::Threads)
  set_property(GLOBAL APPEND PROPERTY STEPSCOPE_ROOMS ${name})
endfunction()

function(stepscope_tests)
  get_property(rooms GLOBAL PROPERTY STEPSCOPE_ROOMS)
  include(GoogleTest)
  foreach(room ${rooms})
    file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*_test.cc)
    file(GLOB_RECURSE testing CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*/testing/*.cc
         ${CMAKE_SOURCE_DIR}/src/${room}/testing/*.cc)
    if(testing)
      list(REMOVE_DUPLICATES testing)
      add_library(stepscope_${room}_testing STATIC ${testing})
      target_compile_definitions(stepscope_${room}_testing PRIVATE STEPSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                 STEPSCOPE_UNPACKED_DATA="${CMAKE_BINARY_DIR}/data")
      target_link_libraries(stepscope_${room}_testing PUBLIC stepscope_${room} GTest::gmock)
      list(APPEND testing_libraries stepscope_${room}_testing)
    endif()
    if(tests)
      add_executable(${room}_test ${tests})
      # Tests are built in a hurry: what they test is the rooms' own objects, as the program has them.
      target_compile_options(${room}_test PRIVATE -O0)
      if(NOT first_test)
        set(first_test ${room}_test)
        target_precompile_headers(${room}_test PRIVATE ${STEPSCOPE_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
      else()
        target_precompile_headers(${room}_test REUSE_FROM ${first_test})
      endif()
      target_include_directories(${room}_test SYSTEM PRIVATE ${RAPIDCHECK_INCLUDE})
      target_link_libraries(${room}_test PRIVATE stepscope_${room} ${testing_libraries} GTest::gmock_main
                            ${RAPIDCHECK_LIBRARY})
      gtest_discover_tests(${room}_test DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
        # What needs other projects' files has Acceptance in its name; tests/run-acceptance runs it.
        TEST_FILTER "-*Acceptance*" PROPERTIES TIMEOUT 300 LABELS unit)
    endif()
  endforeach()
endfunction()
