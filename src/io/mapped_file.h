#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// A regular file as memory, read only.
class MappedFile {
 public:
  // No value where the path cannot be mapped (pipes, empty files, files that cannot be opened).
  static std::optional<MappedFile> Open(const std::string& path);

  std::span<const char> bytes() const { return bytes_; }
  // What keeps the bytes; they live as long as any copy of it.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  // Gives the memory of a part that has been read back to the system. Nothing is lost: bytes that
  // are touched again are read again.
  void Forget(std::string_view part) const;

 private:
  MappedFile(std::span<const char> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  std::span<const char> bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace stepscope
