#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http_message.h"

namespace stepscope {

inline constexpr std::string_view kUploadPath = "/api/upload";

// Takes files from the browser into a directory of its own, readable by this user only, which goes
// away with the server. Safe on many threads.
class Uploads {
 public:
  using Add = std::function<size_t(const std::vector<std::string>& paths)>;
  static constexpr uint64_t kMostBytes = uint64_t{4} << 30;  // of one file
  static constexpr uint64_t kMostOfAll = uint64_t{16} << 30;

  explicit Uploads(Add add) : add_(std::move(add)) {}
  ~Uploads() { Clear(); }
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;

  // GET: what may be sent. POST ?name=FILE: the body becomes a profile, whose number is answered.
  HttpAnswer Answer(const HttpRequest& request);
  // Removes all files; nothing is taken from then on.
  void Clear();

 private:
  // A fresh place for a file of this name; empty when there is none.
  std::filesystem::path PlaceFor(std::string_view name, uint64_t bytes);

  const Add add_;
  std::mutex mutex_;
  std::filesystem::path directory_;
  uint64_t taken_ = 0;  // bytes of all files
  size_t files_ = 0;
  bool closed_ = false;
};

// A file name without anything that means something to a file system: "../a b.json" → "a_b.json".
std::string SafeFileName(std::string_view name);

}  // namespace stepscope
