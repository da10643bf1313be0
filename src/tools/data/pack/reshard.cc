#include "tools/data/pack/reshard.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "io/tfrecord.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Which part a record goes to: the same for the same seed and number, whatever the shard sizes.
size_t PartOf(uint64_t record, const ReshardOptions& options) {
  if (options.parts.empty()) return 0;
  // splitmix64
  uint64_t mixed = (record + 1) * 0x9e3779b97f4a7c15 + options.seed;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  mixed ^= mixed >> 31;
  double share = static_cast<double>(mixed >> 11) / 9007199254740992.0;
  double total = 0;
  for (const double part : options.parts) total += part;
  share *= total;
  for (size_t i = 0; i + 1 < options.parts.size(); ++i) {
    if (share < options.parts[i]) return i;
    share -= options.parts[i];
  }
  return options.parts.size() - 1;
}

// The shards of one part, each complete before it gets its name.
class PartWriter {
 public:
  PartWriter(std::string stem, const ReshardOptions& options)
      : stem_(std::move(stem)), options_(options) {}

  Result<void> Add(std::string_view data) {
    const size_t framed = data.size() + kRecordHeaderBytes + kRecordFooterBytes;
    if (file_ && file_->size() + buffer_.size() + framed > options_.shard_bytes) {
      if (const auto closed = Close(); !closed) return closed;
    }
    if (!file_) {
      const std::string path = fmt::format("{}-{:05}.tfrecord", stem_, paths_.size());
      Result<AtomicFile> file = AtomicFile::Create(path, options_.overwrite);
      if (!file) return std::unexpected(file.error());
      file_.emplace(std::move(*file));
      paths_.push_back(path);
    }
    AppendRecord(data, buffer_);
    ++records_;
    constexpr size_t kFlushBytes = size_t{4} << 20;
    return buffer_.size() >= kFlushBytes ? Flush() : Result<void>();
  }
  Result<void> Close() {
    if (!file_) return {};
    if (const auto flushed = Flush(); !flushed) return flushed;
    const auto committed = file_->Commit();
    file_.reset();
    return committed;
  }
  uint64_t records() const { return records_; }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  Result<void> Flush() {
    const auto written = file_->Append(buffer_);
    buffer_.clear();
    return written;
  }

  std::string stem_;
  const ReshardOptions& options_;
  std::optional<AtomicFile> file_;
  std::string buffer_;
  uint64_t records_ = 0;
  std::vector<std::string> paths_;
};

}  // namespace

Result<ReshardResult> Reshard(const std::vector<std::string>& files, const std::string& directory,
                              const ReshardOptions& options, const Progress& progress) {
  std::error_code error;
  fs::create_directories(directory, error);
  std::vector<PartWriter> parts;
  const size_t count = std::max<size_t>(options.parts.size(), 1);
  for (size_t i = 0; i < count; ++i) {
    const std::string stem =
        count == 1 ? options.prefix : fmt::format("{}-part{}", options.prefix, i);
    parts.emplace_back(directory + "/" + stem, options);
  }
  ReshardResult result;
  for (size_t f = 0; f < files.size(); ++f) {
    const Result<RecordFile> opened = OpenRecordFile(files[f]);
    if (!opened) return std::unexpected(opened.error());
    RecordStream records(*opened->bytes);
    for (RecordStream::Outcome outcome = records.Next(); outcome != RecordStream::Outcome::kEnd;
         outcome = records.Next()) {
      NoteFault(files[f], records, outcome);
      if (outcome == RecordStream::Outcome::kDamage) {
        ++result.damaged;
        continue;
      }
      PartWriter& part = parts[PartOf(result.records++, options)];
      if (const auto added = part.Add(records.data()); !added) {
        return std::unexpected(added.error());
      }
      result.bytes += records.data().size();
    }
    NoteFault(files[f], records, RecordStream::Outcome::kEnd);
    result.damaged += records.cut_bytes() > 0 ? 1 : 0;
    if (progress) {
      progress(static_cast<double>(f + 1) / static_cast<double>(files.size()), "splitting");
    }
  }
  for (PartWriter& part : parts) {
    if (const auto closed = part.Close(); !closed) return std::unexpected(closed.error());
    result.part_records.push_back(part.records());
    result.paths.insert(result.paths.end(), part.paths().begin(), part.paths().end());
  }
  return result;
}

}  // namespace stepscope
