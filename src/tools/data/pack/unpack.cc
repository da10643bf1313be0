#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "io/tfrecord.h"
#include "tools/data/pack/manifest.h"
#include "tools/data/pack/reshard.h"
#include "tools/data/read/example.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// The name without anything that leads out of the directory: roots, "..", and bytes that no file
// name has.
std::string SafeName(std::string_view name) {
  fs::path safe;
  for (const fs::path& part : fs::path(name)) {
    const std::string text = part.string();
    if (text.empty() || text == "." || text == ".." || text == "/" || text.contains('\0')) continue;
    safe /= text;
  }
  return safe.string();
}

// Names of raw records, from the manifest of their packing.
class RecordNames {
 public:
  explicit RecordNames(const std::string& file) {
    const fs::path path(file);
    const std::string name = path.filename().string();
    const size_t of = name.rfind("-of-");
    if (of == std::string::npos || of < 6) return;
    const fs::path manifest = path.parent_path() / ManifestNameOf(name.substr(0, of - 6));
    manifest_ = ReadManifest(manifest.string());
    for (size_t i = 0; manifest_ && i < manifest_->shards.size(); ++i) {
      if (manifest_->shards[i] == name) first_ = manifest_->first_file[i];
    }
  }
  std::optional<std::string> Of(uint64_t record) const {
    if (!manifest_ || first_ + record >= manifest_->files.size()) return std::nullopt;
    return manifest_->files[first_ + record];
  }

 private:
  std::optional<Manifest> manifest_;
  uint64_t first_ = 0;
};

struct Content {
  std::string name;
  std::string_view bytes;
};

Content ContentOf(std::string_view record, const std::optional<std::string>& known_name,
                  uint64_t number) {
  Content content{known_name.value_or(fmt::format("{:08}.bin", number)), record};
  if (known_name) return content;
  const auto features = ParseExample(record);
  if (!features) return content;
  for (const Feature& feature : *features) {
    if (feature.bytes.size() != 1) continue;
    if (feature.name == "image/encoded") content.bytes = feature.bytes[0];
    if (feature.name == "image/filename") content.name = feature.bytes[0];
  }
  return content;
}

Result<void> WriteContent(const std::string& directory, const Content& content, uint64_t number,
                          Overwrite overwrite) {
  std::string name = SafeName(content.name);
  if (name.empty()) name = fmt::format("{:08}.bin", number);
  const fs::path path = fs::path(directory) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  Result<AtomicFile> file = AtomicFile::Create(path.string(), overwrite);
  if (!file) return std::unexpected(file.error());
  if (const auto written = file->Append(content.bytes); !written) return written;
  return file->Commit();
}

}  // namespace

Result<UnpackResult> Unpack(const std::vector<std::string>& files, const std::string& directory,
                            Overwrite overwrite, const Progress& progress) {
  UnpackResult result;
  for (size_t f = 0; f < files.size(); ++f) {
    const Result<RecordFile> opened = OpenRecordFile(files[f]);
    if (!opened) return std::unexpected(opened.error());
    const RecordNames names(files[f]);
    RecordStream records(*opened->bytes);
    uint64_t in_file = 0;
    for (RecordStream::Outcome outcome = records.Next(); outcome != RecordStream::Outcome::kEnd;
         outcome = records.Next()) {
      NoteFault(files[f], records, outcome);
      if (outcome == RecordStream::Outcome::kDamage) {
        ++result.damaged;
        continue;
      }
      const Content content = ContentOf(records.data(), names.Of(in_file++), result.files);
      const auto written = WriteContent(directory, content, result.files, overwrite);
      if (!written) return std::unexpected(written.error());
      ++result.files;
      result.bytes += content.bytes.size();
    }
    NoteFault(files[f], records, RecordStream::Outcome::kEnd);
    result.damaged += records.cut_bytes() > 0 ? 1 : 0;
    if (progress) {
      progress(static_cast<double>(f + 1) / static_cast<double>(files.size()), "unpacking");
    }
  }
  return result;
}

}  // namespace stepscope
