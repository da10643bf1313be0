#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// Files of a machine: the real one (root ""), or a recorded tree of /proc, /sys and a few more.
class RootFiles {
 public:
  explicit RootFiles(std::string root = "") : root_(std::move(root)) {}

  bool recorded() const { return !root_.empty(); }
  std::string PathOf(std::string_view path) const { return root_ + std::string(path); }
  // The whole text of a small file without the line end at its end; nullopt when it cannot be read.
  std::optional<std::string> Text(std::string_view path) const;
  std::optional<int64_t> Number(std::string_view path) const;
  // Names in a directory, sorted; empty when there is none.
  std::vector<std::string> List(std::string_view path) const;
  bool Exists(std::string_view path) const;

 private:
  std::string root_;
};

// "0-3,8" as 0 1 2 3 8; at most 65,536 numbers.
std::vector<int> ParseCpuList(std::string_view text);
// The value of "key<blanks>:<blanks>value" in a file of such lines.
std::optional<std::string> FieldOf(std::string_view text, std::string_view key);

}  // namespace stepscope
