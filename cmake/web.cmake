# The web page, built by node and embedded in the program. Without node (at least 20.19) or without the packages of
# web/package-lock.json (scripts/setup-web brings both) the files are empty, and `stepscope serve` says that it is left out.
set(STEPSCOPE_PAGE_DIR ${CMAKE_SOURCE_DIR}/build/web/page)
set(page_files)
foreach(file index.html.gz app.js.gz app.css.gz one_file_head.html one_file_tail.html licences.txt)
  list(APPEND page_files ${STEPSCOPE_PAGE_DIR}/${file})
endforeach()
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/* ${CMAKE_SOURCE_DIR}/web/scripts/*)
file(GLOB web_packages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/node_modules/.package-lock.json)
add_custom_command(
  OUTPUT ${page_files}
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/build-web ${STEPSCOPE_PAGE_DIR}
  DEPENDS ${web_sources} ${web_packages} ${CMAKE_SOURCE_DIR}/web/index.html ${CMAKE_SOURCE_DIR}/web/package.json
          ${CMAKE_SOURCE_DIR}/web/vite.config.ts ${CMAKE_SOURCE_DIR}/scripts/build-web
  COMMENT "Building the web page"
  VERBATIM)
add_custom_target(web_page DEPENDS ${page_files})
set(page_source ${CMAKE_SOURCE_DIR}/src/present/html/page_files.cc)
set_source_files_properties(${page_source} PROPERTIES OBJECT_DEPENDS "${page_files}"
                            COMPILE_DEFINITIONS "STEPSCOPE_PAGE_DIR=\"${STEPSCOPE_PAGE_DIR}\"")
add_dependencies(stepscope_present web_page)
