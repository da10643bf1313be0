#pragma once

#include <span>
#include <string>
#include <vector>

namespace stepscope {

// What a verb printed and returned.
struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};
Ran RunVerb(int (*verb)(std::span<char*>), std::vector<std::string> words);

// A file's content, unpacked; a text that says so where it cannot be read.
std::string Content(const std::string& path);

}  // namespace stepscope
