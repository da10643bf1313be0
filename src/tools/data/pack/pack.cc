#include "tools/data/pack/pack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "io/crc32c.h"
#include "io/input_files.h"
#include "io/tfrecord.h"
#include "tools/data/pack/manifest.h"
#include "words/system_reason.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

namespace fs = std::filesystem;

// Files [first, last) of one shard that one task reads and writes at once.
struct Chunk {
  size_t shard;
  size_t first, last;
};

// Opens files relative to their directory, which stays open: files come directory by directory, and
// the kernel need not walk the whole path for each.
class FileOpener {
 public:
  FileOpener() = default;
  FileOpener(const FileOpener&) = delete;
  FileOpener& operator=(const FileOpener&) = delete;
  ~FileOpener() {
    if (directory_ >= 0) close(directory_);
  }

  int Open(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) return open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const std::string_view folder = std::string_view(path).substr(0, slash);
    if (folder != name_) {
      if (directory_ >= 0) close(directory_);
      name_ = folder;
      directory_ = open(name_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    return openat(directory_, path.c_str() + slash + 1, O_RDONLY | O_CLOEXEC);
  }

 private:
  std::string name_;
  int directory_ = -1;
};

// A file of exactly the planned size; anything else means that it changed after the plan was made.
// The read asks for one byte more, so that it also proves where the file ends; `into` has room for
// it.
Result<void> ReadExactly(const DatasetFile& file, std::span<char> into, FileOpener& opener) {
  const int opened = opener.Open(file.path);
  if (opened < 0) {
    return Fail(ErrorCode::kCannotRead, Say("data.cannot-open-why", SystemReason(errno)),
                file.path);
  }
  NoteInput(opened);
  size_t filled = 0;
  ssize_t got = 0;
  while (filled < into.size() &&
         (got = read(opened, into.data() + filled, into.size() - filled)) > 0) {
    filled += static_cast<size_t>(got);
    if (filled == file.bytes) break;
  }
  // A read that stopped at the planned size with room left has met the end of the file.
  close(opened);
  if (filled == file.bytes && got >= 0) return {};
  return Fail(ErrorCode::kCannotRead, Say("data.changed"), file.path, Say("data.run-again"));
}

void Store(std::string_view bytes, char*& at) {
  std::memcpy(at, bytes.data(), bytes.size());
  at += bytes.size();
}
template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The framed record of a file, straight into the buffer.
Result<void> BuildRecord(const PackedFile& file, RecordLayout layout, FileOpener& opener,
                         char*& at) {
  const RecordEnvelope envelope = EnvelopeOf(file, layout);
  const uint64_t length = envelope.before.size() + file.file.bytes + envelope.after.size();
  const uint32_t length_crc = MaskCrc(Crc32c(BytesOf(length)));
  Store(BytesOf(length), at);
  Store(BytesOf(length_crc), at);
  const char* data = at;
  Store(envelope.before, at);
  // The footer's place is the room for one byte more.
  if (const auto got = ReadExactly(file.file, {at, file.file.bytes + 1}, opener); !got) return got;
  at += file.file.bytes;
  Store(envelope.after, at);
  const uint32_t data_crc = MaskCrc(Crc32c({data, length}));
  Store(BytesOf(data_crc), at);
  return {};
}

class Packer {
 public:
  Packer(const PackPlan& plan, std::string directory, Overwrite overwrite, const Progress& progress)
      : plan_(plan),
        directory_(std::move(directory)),
        overwrite_(overwrite),
        progress_(progress),
        shards_(plan.shards.size()) {}

  Result<PackResult> Run(TaskPool& pool) {
    if (const auto ready = Prepare(); !ready) return std::unexpected(ready.error());
    const std::vector<Chunk> chunks = Chunks();
    pool.ForEach(chunks.size(), [&](size_t i) { Write(chunks[i]); });
    if (error_) return std::unexpected(*error_);
    result_.records = plan_.files.size();
    result_.shards = plan_.shards.size();
    result_.bytes = written_;
    return std::move(result_);
  }

 private:
  struct OpenShard {
    std::mutex mutex;
    std::optional<AtomicFile> file;
    size_t chunks_left = 0;
    bool kept = false;
  };

  std::string PathOf(const Shard& shard) const { return directory_ + "/" + shard.name; }

  Result<void> Prepare() {
    std::error_code error;
    fs::create_directories(directory_, error);
    RemoveTemporaries();
    const std::string manifest = directory_ + "/" + ManifestNameOf(plan_.prefix);
    const std::optional<Manifest> earlier = ReadManifest(manifest);
    const bool same = earlier && earlier->fingerprint == plan_.fingerprint;
    if (earlier && !same && overwrite_ == Overwrite::kNever) {
      return Fail(ErrorCode::kCannotWrite, Say("data.other-packing"), manifest,
                  Say("data.other-directory-replace"));
    }
    for (size_t i = 0; i < plan_.shards.size(); ++i) {
      const std::string path = PathOf(plan_.shards[i]);
      result_.paths.push_back(path);
      const bool complete =
          same && fs::exists(path, error) && fs::file_size(path, error) == plan_.shards[i].bytes;
      shards_[i].kept = complete;
      if (complete) ++result_.shards_kept;
      if (!complete && !same && overwrite_ == Overwrite::kNever && fs::exists(path, error)) {
        return Fail(ErrorCode::kCannotWrite, Say("data.exists"), path, Say("data.other-directory"));
      }
    }
    if (earlier && !same) RemoveOld(*earlier);
    if (same) return {};
    return WriteManifest(plan_, manifest);
  }

  void RemoveTemporaries() const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory_, error)) {
      std::error_code ignored;
      if (IsTemporaryName(entry.path().filename().string())) fs::remove(entry.path(), ignored);
    }
  }
  void RemoveOld(const Manifest& earlier) const {
    std::error_code ignored;
    for (const std::string& name : earlier.shards) {
      if (!name.contains('/')) fs::remove(directory_ + "/" + name, ignored);
    }
  }

  std::vector<Chunk> Chunks() {
    constexpr uint64_t kChunkBytes = uint64_t{1} << 20;
    std::vector<Chunk> chunks;
    for (size_t s = 0; s < plan_.shards.size(); ++s) {
      if (shards_[s].kept) continue;
      const size_t before = chunks.size();
      uint64_t bytes = kChunkBytes;
      for (size_t i = plan_.shards[s].first; i < plan_.shards[s].last; ++i) {
        if (bytes + plan_.files[i].record_bytes > kChunkBytes) {
          chunks.push_back({s, i, i});
          bytes = 0;
        }
        bytes += plan_.files[i].record_bytes;
        chunks.back().last = i + 1;
        to_write_ += plan_.files[i].record_bytes;
      }
      shards_[s].chunks_left = chunks.size() - before;
    }
    return chunks;
  }

  void Write(const Chunk& chunk) {
    if (failed_) return;
    thread_local std::vector<char> buffer;
    const PackedFile& first = plan_.files[chunk.first];
    const PackedFile& last = plan_.files[chunk.last - 1];
    const size_t size = static_cast<size_t>(last.offset + last.record_bytes - first.offset);
    if (buffer.size() < size) buffer.resize(size);
    char* at = buffer.data();
    FileOpener opener;
    for (size_t i = chunk.first; i < chunk.last; ++i) {
      if (const auto built = BuildRecord(plan_.files[i], plan_.layout, opener, at); !built) {
        return Failed(built.error());
      }
    }
    OpenShard& shard = shards_[chunk.shard];
    if (!Opened(chunk.shard)) return;
    const auto written = shard.file->WriteAt(first.offset, {buffer.data(), size});
    if (!written) return Failed(written.error());
    const uint64_t done = written_ += size;
    if (progress_) progress_(static_cast<double>(done) / static_cast<double>(to_write_), "packing");
    Close(chunk.shard);
  }

  bool Opened(size_t index) {
    OpenShard& shard = shards_[index];
    const std::scoped_lock lock(shard.mutex);
    if (shard.file) return true;
    // An incomplete shard of the same plan may be replaced.
    Result<AtomicFile> file = AtomicFile::Create(PathOf(plan_.shards[index]), Overwrite::kAllowed);
    if (!file) {
      Failed(file.error());
      return false;
    }
    shard.file.emplace(std::move(*file));
    return true;
  }

  void Close(size_t index) {
    OpenShard& shard = shards_[index];
    const std::scoped_lock lock(shard.mutex);
    if (--shard.chunks_left > 0) return;
    if (const auto committed = shard.file->Commit(); !committed) Failed(committed.error());
  }

  void Failed(const Error& error) {
    const std::scoped_lock lock(error_mutex_);
    if (!error_) error_ = error;
    failed_ = true;
  }

  const PackPlan& plan_;
  const std::string directory_;
  const Overwrite overwrite_;
  const Progress& progress_;
  std::vector<OpenShard> shards_;
  PackResult result_;
  uint64_t to_write_ = 0;
  std::atomic<uint64_t> written_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex error_mutex_;
  std::optional<Error> error_;
};

}  // namespace

Result<PackResult> Pack(const PackPlan& plan, const std::string& directory, Overwrite overwrite,
                        TaskPool& pool, const Progress& progress) {
  return Packer(plan, directory, overwrite, progress).Run(pool);
}

}  // namespace stepscope
