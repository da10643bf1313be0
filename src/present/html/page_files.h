#pragma once

#include <string_view>

namespace stepscope {

// A file of the web page, gzip-ed, inside the program.
struct PageFile {
  std::string_view path;  // "/app.js"
  std::string_view type;
  std::string_view gzipped;
};

// nullptr for anything that is no file of the page.
const PageFile* FindPageFile(std::string_view path);

// A page that carries its data: everything before the data, and everything after it. The data is
// JSON in which "<" does not occur. Empty without the page.
std::string_view OneFileHead();
std::string_view OneFileTail();

// Whether the program was built with the page; a build without node has none.
bool HasPage();

}  // namespace stepscope
