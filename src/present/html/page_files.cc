#include "present/html/page_files.h"

#include <algorithm>
#include <array>

// The files as web/scripts/pack.mjs left them in STEPSCOPE_PAGE_DIR; empty ones without node.
#define STEPSCOPE_EMBED(name, file)                              \
  __asm__(".pushsection .rodata\n.balign 16\n.hidden " #name     \
          "_begin\n"                                             \
          ".global " #name "_begin\n" #name                      \
          "_begin:\n"                                            \
          ".incbin \"" STEPSCOPE_PAGE_DIR "/" file               \
          "\"\n"                                                 \
          ".hidden " #name "_end\n.global " #name "_end\n" #name \
          "_end:\n"                                              \
          ".byte 0\n.popsection\n");                             \
  extern "C" const char name##_begin[], name##_end[]

STEPSCOPE_EMBED(stepscope_page_index, "index.html.gz");
STEPSCOPE_EMBED(stepscope_page_script, "app.js.gz");
STEPSCOPE_EMBED(stepscope_page_style, "app.css.gz");
STEPSCOPE_EMBED(stepscope_page_head, "one_file_head.html");
STEPSCOPE_EMBED(stepscope_page_tail, "one_file_tail.html");

namespace stepscope {
namespace {

std::string_view Between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

const PageFile* FindPageFile(std::string_view path) {
  static const std::array files{
      PageFile{"/index.html", "text/html; charset=utf-8",
               Between(stepscope_page_index_begin, stepscope_page_index_end)},
      PageFile{"/app.js", "text/javascript; charset=utf-8",
               Between(stepscope_page_script_begin, stepscope_page_script_end)},
      PageFile{"/app.css", "text/css; charset=utf-8",
               Between(stepscope_page_style_begin, stepscope_page_style_end)},
  };
  const auto found = std::ranges::find(files, path, &PageFile::path);
  return found == files.end() || found->gzipped.empty() ? nullptr : &*found;
}

std::string_view OneFileHead() {
  return Between(stepscope_page_head_begin, stepscope_page_head_end);
}
std::string_view OneFileTail() {
  return Between(stepscope_page_tail_begin, stepscope_page_tail_end);
}
bool HasPage() { return FindPageFile("/index.html") != nullptr; }

}  // namespace stepscope
