#include "read/xplane/space_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "read/file_type.h"
#include "read/protobuf/cursor.h"
#include "read/xplane/xplane_fields.h"

namespace stepscope::xplane {
namespace {

constexpr size_t kWidestLoad = 8;

// Fills the parts of a file's image that are no contents of lines. Walks forward only.
class TableLoader {
 public:
  TableLoader(const RegularFile& file, char* image) : file_(file), image_(image) {}

  void Load() {
    Fill(0, std::min<uint64_t>(file_.size(), kSniffedBytes));  // should it be something else
    WalkFields(0, file_.size(), [this](uint64_t field, uint64_t begin, uint64_t end) {
      if (field != space_field::kPlanes) return Fill(begin, end);
      WalkFields(begin, end, [this](uint64_t in_plane, uint64_t from, uint64_t to) {
        if (in_plane != plane_field::kLines) Fill(from, to);
      });
    });
  }

 private:
  // Calls visit(field, begin, end) for every field of bytes in a message, as far as it is sound.
  // One that is cut ends with the message.
  template <typename Visit>
  void WalkFields(uint64_t at, uint64_t end, const Visit& visit) {
    constexpr uint64_t kLongestHead = 20;  // a tag and a length
    while (at < end) {
      const uint64_t head_end = std::min(end, at + kLongestHead);
      Fill(at, head_end);
      WireCursor head({image_ + at, head_end - at});
      uint64_t tag = 0;
      uint64_t size = 0;
      if (!head.Varint(tag)) return;
      const bool has_bytes = (tag & 7) == 2;
      if (!(has_bytes ? head.Varint(size) : head.Skip(tag))) return;
      at = static_cast<uint64_t>(head.at - image_);
      size = std::min(size, end - at);
      if (has_bytes) visit(tag >> 3, at, at + size);
      at += size;
    }
  }

  void Fill(uint64_t begin, uint64_t end) {
    constexpr uint64_t kPage = 4096, kAtOnce = 4 * kPage;
    if (end <= filled_) return;
    const uint64_t from = std::max(filled_, begin / kPage * kPage);
    filled_ = std::min(file_.size(), std::max(end, from + kAtOnce));
    file_.Read(from, {image_ + from, filled_ - from});
  }

  const RegularFile& file_;
  char* const image_;
  uint64_t filled_ = 0;  // up to here, where it is needed
};

}  // namespace

std::unique_ptr<SpaceBytes> SpaceBytes::Open(const RegularFile& file) {
  if (file.size() == 0) return nullptr;
  // Pages that nothing is written to take no memory.
  void* const reserved = mmap(nullptr, file.size(), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  madvise(reserved, file.size(), MADV_NOHUGEPAGE);
  return std::unique_ptr<SpaceBytes>(new SpaceBytes(file, static_cast<char*>(reserved)));
}

SpaceBytes::SpaceBytes(const RegularFile& file, char* reserved)
    : all_(reserved, file.size()), file_(&file) {
  TableLoader(file, reserved).Load();
}

SpaceBytes::~SpaceBytes() {
  if (file_ != nullptr) munmap(const_cast<char*>(all_.data()), all_.size());
}

SpaceBytes::Piece::Piece(const SpaceBytes& from, std::string_view part)
    : from_(from),
      bytes_(part),
      readable_(from.all_.data() + from.all_.size()),
      offset_(static_cast<uint64_t>(part.data() - from.all_.data())) {
  if (from.file_ == nullptr) return;
  {
    const std::lock_guard lock(from.mutex_);
    if (!from.rooms_.empty()) {
      room_ = std::move(from.rooms_.back());
      from.rooms_.pop_back();
    }
  }
  if (room_.size() < part.size() + kWidestLoad) room_.resize(part.size() + kWidestLoad);
  from.file_->Read(offset_, {room_.data(), part.size()});
  bytes_ = {room_.data(), part.size()};
  readable_ = room_.data() + room_.size();
}

SpaceBytes::Piece::~Piece() {
  if (room_.empty()) return;
  const std::lock_guard lock(from_.mutex_);
  from_.rooms_.push_back(std::move(room_));
}

}  // namespace stepscope::xplane
