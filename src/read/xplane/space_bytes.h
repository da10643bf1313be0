#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "io/regular_file.h"

namespace stepscope::xplane {

// The bytes of a serialized XSpace. Of a plain file only the tables of its planes stay in memory;
// the contents of lines, nearly all of a large file, are loaded a piece at a time: fresh memory
// costs more than reading it twice. Views have the addresses that the bytes of the whole file would
// have, so that a difference of two of them is a distance in the file.
class SpaceBytes {
 public:
  // All of it, in memory. `whole` must outlive this.
  explicit SpaceBytes(std::string_view whole) : all_(whole) {}
  // Null where there is no room. `file` must outlive this.
  static std::unique_ptr<SpaceBytes> Open(const RegularFile& file);
  ~SpaceBytes();
  SpaceBytes(const SpaceBytes&) = delete;
  SpaceBytes& operator=(const SpaceBytes&) = delete;

  // Of a plain file, contents of lines may be zeros here: Load gives them.
  std::string_view all() const { return all_; }

  // A part of a line, in memory until it goes out of scope.
  class Piece {
   public:
    std::string_view bytes() const { return bytes_; }
    // Bytes up to here may be loaded by wide loads.
    const char* readable() const { return readable_; }
    // Where one of the bytes is in the file.
    uint64_t OffsetOf(const char* byte) const {
      return offset_ + static_cast<uint64_t>(byte - bytes_.data());
    }
    ~Piece();
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;

   private:
    friend class SpaceBytes;
    Piece(const SpaceBytes& from, std::string_view part);
    const SpaceBytes& from_;
    std::vector<char> room_;
    std::string_view bytes_;
    const char* readable_ = nullptr;
    uint64_t offset_ = 0;
  };
  // `part` is a view into all(). Safe from many threads.
  Piece Load(std::string_view part) const { return Piece(*this, part); }

 private:
  explicit SpaceBytes(const RegularFile& file, char* reserved);

  std::string_view all_;
  const RegularFile* file_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::vector<std::vector<char>> rooms_;  // of pieces that are gone, for the next ones
};

}  // namespace stepscope::xplane
