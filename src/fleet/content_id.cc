#include "fleet/content_id.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace stepscope::fleet {
namespace {

namespace fs = std::filesystem;

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
using State = std::unique_ptr<XXH3_state_t, FreeState>;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool AddFile(const std::string& path, XXH3_state_t* state) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return false;
  std::vector<char> block(size_t{1} << 18);
  while (const size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    XXH3_128bits_update(state, block.data(), got);
  }
  return std::ferror(file.get()) == 0;
}

bool AddFolder(const fs::path& folder, XXH3_state_t* state) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error)) names.push_back(at->path().lexically_relative(folder));
  }
  std::ranges::sort(names);
  for (const std::string& name : names) {
    // With its final zero: names and contents cannot run into each other.
    XXH3_128bits_update(state, name.c_str(), name.size() + 1);
    if (!AddFile(folder / name, state)) return false;
  }
  return !names.empty();
}

}  // namespace

std::optional<std::string> ContentId(const std::string& path) {
  const State state(XXH3_createState());
  if (state == nullptr) return std::nullopt;
  XXH3_128bits_reset(state.get());
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // Nothing but a file or a directory can be read twice.
  const bool read = fs::is_directory(status)      ? AddFolder(path, state.get())
                    : fs::is_regular_file(status) ? AddFile(path, state.get())
                                                  : false;
  if (!read) return std::nullopt;
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace stepscope::fleet
