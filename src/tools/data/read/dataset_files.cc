#include "tools/data/read/dataset_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include "io/input_files.h"
#include "io/tfrecord.h"
#include "words/system_reason.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

std::string LowerExtension(std::string_view name) {
  const size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  std::string extension(name.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

DatasetFormat FormatByContent(const std::string& path) {
  constexpr size_t kTarMagicAt = 257;
  std::array<char, 512> bytes;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return DatasetFormat::kOther;
  NoteInput(file);
  const ssize_t got = read(file, bytes.data(), bytes.size());
  close(file);
  const std::string_view first(bytes.data(), got > 0 ? static_cast<size_t>(got) : 0);
  if (HoldsRecordHeader(first)) return DatasetFormat::kTfRecord;
  if (first.starts_with("PAR1")) return DatasetFormat::kParquet;
  if (first.starts_with("\x93NUMPY")) return DatasetFormat::kNpy;
  if (first.starts_with("\xff\xd8\xff") || first.starts_with("\x89PNG\r\n")) {
    return DatasetFormat::kImage;
  }
  if (first.size() == bytes.size() && first.substr(kTarMagicAt, 5) == "ustar") {
    return DatasetFormat::kTar;
  }
  return DatasetFormat::kOther;
}

// A file that was found in its directory, before its size is known.
struct Entry {
  std::string path;
  std::string name;
};

void Walk(const std::string& directory, const std::string& name, int depth,
          std::vector<Entry>& entries) {
  constexpr int kMostDepth = 100;
  DIR* opened = depth > kMostDepth ? nullptr : opendir(directory.c_str());
  if (opened == nullptr) return;
  std::vector<std::string> folders;
  while (const dirent* entry = readdir(opened)) {
    const std::string_view own = entry->d_name;
    if (own.starts_with('.')) continue;
    unsigned char type = entry->d_type;
    if (type == DT_UNKNOWN) {
      struct stat status{};
      if (fstatat(dirfd(opened), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      type = S_ISDIR(status.st_mode) ? DT_DIR : DT_REG;
    }
    if (type == DT_DIR) {
      folders.emplace_back(own);
    } else if (type == DT_REG || type == DT_LNK) {
      // A link to a directory is not followed: it may lead back into the tree.
      std::string below = name.empty() ? std::string(own) : name + "/" + std::string(own);
      entries.push_back({directory + "/" + std::string(own), std::move(below)});
    }
  }
  closedir(opened);
  for (const std::string& folder : folders) {
    Walk(directory + "/" + folder, name.empty() ? folder : name + "/" + folder, depth + 1, entries);
  }
}

// False when it is gone or no regular file.
bool Describe(Entry& entry, DatasetFile& file) {
  struct stat status{};
  if (stat(entry.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  file.bytes = static_cast<uint64_t>(status.st_size);
  file.modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  file.format = FormatOf(entry.path);
  file.path = std::move(entry.path);
  file.name = std::move(entry.name);
  return true;
}

}  // namespace

std::string_view NameOf(DatasetFormat format) {
  switch (format) {
    case DatasetFormat::kTfRecord:
      return "TFRecord";
    case DatasetFormat::kImage:
      return "images";
    case DatasetFormat::kParquet:
      return "Parquet";
    case DatasetFormat::kNpy:
      return "npy";
    case DatasetFormat::kNpz:
      return "npz";
    case DatasetFormat::kTar:
      return "tar";
    case DatasetFormat::kOther:
      return "other files";
  }
  std::unreachable();
}

bool IsImageName(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kImages{"jpg",  "jpeg", "png",  "gif", "bmp",
                                                           "webp", "tif",  "tiff", "ppm"};
  return std::ranges::find(kImages, LowerExtension(name)) != kImages.end();
}

DatasetFormat FormatOf(const std::string& path) {
  if (IsImageName(path)) return DatasetFormat::kImage;
  const std::string extension = LowerExtension(path);
  if (extension.starts_with("tfrec")) return DatasetFormat::kTfRecord;
  if (extension == "parquet" || extension == "pq") return DatasetFormat::kParquet;
  if (extension == "npy") return DatasetFormat::kNpy;
  if (extension == "npz") return DatasetFormat::kNpz;
  if (extension == "tar" || extension == "tgz" || path.ends_with(".tar.gz") ||
      path.ends_with(".tar.zst")) {
    return DatasetFormat::kTar;
  }
  if (path.contains("tfrecord")) return DatasetFormat::kTfRecord;
  for (const std::string_view plain : {"txt", "json", "csv", "bin", "xml", "cls", "md"}) {
    if (extension == plain) return DatasetFormat::kOther;
  }
  return FormatByContent(path);
}

Result<std::vector<DatasetFile>> FindDatasetFiles(const std::vector<std::string>& paths,
                                                  TaskPool* pool) {
  std::vector<Entry> entries;
  for (const std::string& path : paths) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) {
      return Fail(ErrorCode::kCannotRead, Say("data.cannot-open-why", SystemReason(errno)), path,
                  Say("data.give"));
    }
    if (S_ISDIR(status.st_mode)) {
      Walk(path, "", 0, entries);
    } else {
      entries.push_back({path, path.substr(path.rfind('/') + 1)});
    }
  }
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::tie(entry.name, entry.path); });
  std::vector<DatasetFile> files(entries.size());
  std::vector<char> found(entries.size());
  constexpr size_t kBlock = 256;
  const auto describe = [&](size_t block) {
    const size_t end = std::min(entries.size(), (block + 1) * kBlock);
    for (size_t i = block * kBlock; i < end; ++i) found[i] = Describe(entries[i], files[i]) ? 1 : 0;
  };
  const size_t blocks = (entries.size() + kBlock - 1) / kBlock;
  if (pool != nullptr) {
    pool->ForEach(blocks, describe);
  } else {
    for (size_t block = 0; block < blocks; ++block) describe(block);
  }
  size_t kept = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (found[i] != 0 && kept++ != i) files[kept - 1] = std::move(files[i]);
  }
  files.resize(kept);
  if (files.empty()) {
    return Fail(ErrorCode::kCannotRead, Say("data.no-files"), paths.empty() ? "" : paths[0]);
  }
  return files;
}

}  // namespace stepscope
