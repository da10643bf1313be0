#include "io/read_speed.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

struct Piece {
  size_t file;
  uint64_t offset;
  uint64_t bytes;
};

// Files that stay open for as long as they are measured. At most a few thousand.
class OpenFiles {
 public:
  explicit OpenFiles(const std::vector<FileToRead>& files) {
    for (const FileToRead& file : files) {
      const int opened = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
      if (opened < 0 || file.bytes == 0) {
        if (opened >= 0) close(opened);
        continue;
      }
      files_.push_back({opened, file.bytes});
    }
  }
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
  ~OpenFiles() {
    for (const auto& [file, bytes] : files_) close(file);
  }

  struct One {
    int file;
    uint64_t bytes;
  };
  const std::vector<One>& files() const { return files_; }

  void Forget() const {
    for (const auto& [file, bytes] : files_) {
      // Pages that are still to be written cannot be dropped.
      fdatasync(file);
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    }
  }
  // Share of the pages that are in memory.
  std::optional<double> Resident() const {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    uint64_t pages = 0;
    uint64_t resident = 0;
    for (const auto& [file, bytes] : files_) {
      void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
      if (mapped == MAP_FAILED) return std::nullopt;
      std::vector<unsigned char> in_core((bytes + page - 1) / page);
      const bool told = mincore(mapped, bytes, in_core.data()) == 0;
      munmap(mapped, bytes);
      if (!told) return std::nullopt;
      pages += in_core.size();
      resident += static_cast<uint64_t>(
          std::ranges::count_if(in_core, [](unsigned char c) { return (c & 1) != 0; }));
    }
    return pages == 0 ? std::nullopt
                      : std::optional(static_cast<double>(resident) / static_cast<double>(pages));
  }

 private:
  std::vector<One> files_;
};

std::vector<Piece> SequentialPieces(const OpenFiles& files) {
  constexpr uint64_t kPiece = uint64_t{4} << 20;
  std::vector<Piece> pieces;
  for (size_t i = 0; i < files.files().size(); ++i) {
    const uint64_t size = files.files()[i].bytes;
    for (uint64_t at = 0; at < size; at += kPiece) {
      pieces.push_back({i, at, std::min(kPiece, size - at)});
    }
  }
  return pieces;
}

std::vector<Piece> RandomPieces(const OpenFiles& files, uint64_t bytes) {
  std::vector<Piece> pieces;
  for (size_t i = 0; i < files.files().size(); ++i) {
    const uint64_t size = files.files()[i].bytes;
    for (uint64_t at = 0; at < size; at += bytes) {
      pieces.push_back({i, at, std::min(bytes, size - at)});
    }
  }
  std::mt19937_64 random(1);
  for (size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random() % i]);
  return pieces;
}

void ReadPieces(const OpenFiles& files, const std::vector<Piece>& pieces, double most_seconds,
                ReadSpeed& speed) {
  std::atomic<size_t> next = 0;
  std::atomic<uint64_t> bytes = 0;
  std::atomic<uint64_t> reads = 0;
  const Clock::time_point start = Clock::now();
  const Clock::time_point stop = start + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(most_seconds));
  const auto work = [&] {
    std::vector<char> buffer(size_t{4} << 20);
    for (size_t i = next++; i < pieces.size() && Clock::now() < stop; i = next++) {
      const Piece& piece = pieces[i];
      const ssize_t got =
          pread(files.files()[piece.file].file, buffer.data(),
                std::min<uint64_t>(piece.bytes, buffer.size()), static_cast<off_t>(piece.offset));
      if (got > 0) bytes += static_cast<uint64_t>(got);
      ++reads;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 1; t < speed.threads; ++t) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  speed.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  speed.bytes = bytes;
  speed.reads = reads;
}

// Every n-th file, so that the sample stays below the limits and covers the whole set.
std::vector<FileToRead> Sample(const std::vector<FileToRead>& files, uint64_t most_bytes) {
  constexpr size_t kMostFiles = 900;  // the usual limit of open files is 1024
  uint64_t total = 0;
  for (const FileToRead& file : files) total += file.bytes;
  const size_t by_bytes = static_cast<size_t>(total / std::max<uint64_t>(most_bytes, 1)) + 1;
  const size_t by_count = files.size() / kMostFiles + 1;
  const size_t stride = std::max(std::min(by_bytes, files.size()), by_count);
  std::vector<FileToRead> sample;
  for (size_t i = 0; i < files.size(); i += std::max<size_t>(stride, 1)) {
    sample.push_back(files[i]);
    sample.back().bytes = std::min(sample.back().bytes, most_bytes);
  }
  return sample;
}

}  // namespace

std::vector<ReadSpeed> MeasureReads(const std::vector<FileToRead>& files,
                                    const MeasureOptions& options, const Progress& progress) {
  const OpenFiles opened(Sample(files, options.most_bytes));
  std::vector<ReadSpeed> speeds;
  for (const ReadSpeed::Cache cache : {ReadSpeed::Cache::kCold, ReadSpeed::Cache::kWarm}) {
    for (const ReadSpeed::Pattern pattern :
         {ReadSpeed::Pattern::kSequential, ReadSpeed::Pattern::kRandom}) {
      for (unsigned threads = 1; threads <= options.most_threads; threads *= 2) {
        speeds.push_back({cache, pattern, threads, 0, 0, 0, std::nullopt});
      }
    }
  }
  const std::vector<Piece> sequential = SequentialPieces(opened);
  const std::vector<Piece> random = RandomPieces(opened, options.random_bytes);
  for (size_t i = 0; i < speeds.size(); ++i) {
    ReadSpeed& speed = speeds[i];
    const auto& pieces = speed.pattern == ReadSpeed::Pattern::kSequential ? sequential : random;
    if (speed.cache == ReadSpeed::Cache::kCold) {
      opened.Forget();
      speed.resident = opened.Resident();
    } else if (i == speeds.size() / 2) {
      ReadSpeed warm_up;
      ReadPieces(opened, sequential, options.most_seconds, warm_up);
    }
    ReadPieces(opened, pieces, options.most_seconds, speed);
    if (progress) {
      progress(static_cast<double>(i + 1) / static_cast<double>(speeds.size()), "measuring");
    }
  }
  return speeds;
}

}  // namespace stepscope
