#include "capture/kineto/collect.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/byte_sink.h"
#include "words/capture.h"

namespace stepscope {
namespace {

constexpr SayFrom<kCaptureTexts> Say;

// Kineto puts the number of the process before the last part of the name.
std::string WithPid(const std::string& file, int pid) {
  constexpr std::string_view kEnd = ".json";
  return fmt::format("{}_{}{}", file.substr(0, file.size() - kEnd.size()), pid, kEnd);
}

bool EndsWithBrace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  constexpr std::streamoff kLook = 16;
  file.seekg(0, std::ios::end);
  file.seekg(-std::min<std::streamoff>(kLook, file.tellg()), std::ios::end);
  std::string end(kLook, '\0');
  file.read(end.data(), kLook);
  end.resize(static_cast<size_t>(file.gcount()));
  const size_t last = end.find_last_not_of(" \r\n\t");
  return last != std::string::npos && end[last] == '}';
}

Result<uint64_t> Compress(const std::string& from, const std::string& to) {
  std::ifstream source(from, std::ios::binary);
  if (!source) {
    return Fail(ErrorCode::kCannotRead, Say("capture.cannot-read-profile"), from,
                Say("capture.run-as-owner"));
  }
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(to, CompressionForName(to));
  if (!sink) return std::unexpected(sink.error());
  std::string block(size_t{1} << 20, '\0');
  while (source.read(block.data(), static_cast<std::streamsize>(block.size())),
         source.gcount() > 0) {
    const Result<void> written =
        (*sink)->Write(std::string_view(block).substr(0, static_cast<size_t>(source.gcount())));
    if (!written) return std::unexpected(written.error());
  }
  if (const Result<void> closed = (*sink)->Close(); !closed) return std::unexpected(closed.error());
  std::error_code error;
  return std::filesystem::file_size(to, error);
}

}  // namespace

Message NameOfRank(const KinetoRank& rank) {
  return rank.rank.empty() ? Say("capture.process", rank.pid)
                           : Say("capture.process-rank", rank.pid, rank.rank);
}

RankFile::RankFile(const KinetoRank& rank, bool memory)
    : not_before_(NowMs() / 1000 - 60), memory_(memory) {
  const std::string own = memory ? fmt::format("/tmp/memory_snapshot_{}.pickle", rank.own_pid)
                                 : WithPid(rank.file, rank.own_pid);
  candidates_ = {own, fmt::format("/proc/{}/root{}", rank.pid, own)};
  if (!memory) {
    candidates_.push_back(fmt::format("/tmp/libkineto_activities_{}.json", rank.own_pid));
  }
}

std::optional<uint64_t> RankFile::Size(const std::string& path) const {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0 || found.st_size == 0) return std::nullopt;
  if (found.st_mtime < not_before_) return std::nullopt;
  return static_cast<uint64_t>(found.st_size);
}

bool RankFile::Exists() const {
  return std::any_of(candidates_.begin(), candidates_.end(),
                     [this](const std::string& path) { return Size(path).has_value(); });
}

std::optional<std::string> RankFile::Look() {
  for (const std::string& path : candidates_) {
    const std::optional<uint64_t> bytes = Size(path);
    if (!bytes) continue;
    const bool rests = path == seen_ && *bytes == seen_bytes_;
    seen_ = path;
    seen_bytes_ = *bytes;
    if (rests && (memory_ || EndsWithBrace(path))) return path;
    return std::nullopt;
  }
  return std::nullopt;
}

Result<CapturedFile> TakeFile(const std::string& path, const KinetoRank& rank, bool memory,
                              const std::string& directory) {
  const std::string stem = rank.rank.empty() ? fmt::format("pid{}", rank.pid)
                                             : fmt::format("rank{}_pid{}", rank.rank, rank.pid);
  const std::string to = fmt::format("{}/{}{}", directory, stem,
                                     memory ? ".memory_snapshot.pickle" : ".pt.trace.json.gz");
  return BringFile(path, to, NameOfRank(rank));
}

Result<CapturedFile> BringFile(const std::string& from, const std::string& to, Message source) {
  const Result<uint64_t> bytes = Compress(from, to);
  if (!bytes) return std::unexpected(bytes.error());
  unlink(from.c_str());
  return CapturedFile{.path = to, .source = std::move(source), .bytes = *bytes, .why_empty = {}};
}

}  // namespace stepscope
