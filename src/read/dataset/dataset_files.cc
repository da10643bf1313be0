#include "read/dataset/dataset_files.h"

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

#include "io/tfrecord.h"

namespace stepscope {
namespace {

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

DatasetFile FileOf(std::string path, std::string name, const struct stat& status) {
  DatasetFile file;
  file.bytes = static_cast<uint64_t>(status.st_size);
  file.modified_ns = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
  file.format = FormatOf(path);
  file.path = std::move(path);
  file.name = std::move(name);
  return file;
}

// One fstatat a file, relative to its open directory: the cheapest walk that gives sizes.
void Walk(const std::string& directory, const std::string& name, int depth,
          std::vector<DatasetFile>& files) {
  constexpr int kMostDepth = 100;
  DIR* opened = depth > kMostDepth ? nullptr : opendir(directory.c_str());
  if (opened == nullptr) return;
  std::vector<std::string> folders;
  while (const dirent* entry = readdir(opened)) {
    const std::string_view own = entry->d_name;
    if (own.starts_with('.')) continue;
    struct stat status{};
    if (fstatat(dirfd(opened), entry->d_name, &status, 0) != 0) continue;
    const std::string below = name.empty() ? std::string(own) : name + "/" + std::string(own);
    if (S_ISDIR(status.st_mode)) {
      // A link that leads out of the tree may lead back into it.
      if (entry->d_type != DT_LNK) folders.push_back(std::string(own));
    } else if (S_ISREG(status.st_mode)) {
      files.push_back(FileOf(directory + "/" + std::string(own), below, status));
    }
  }
  closedir(opened);
  for (const std::string& folder : folders) {
    Walk(directory + "/" + folder, name.empty() ? folder : name + "/" + folder, depth + 1, files);
  }
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

Result<std::vector<DatasetFile>> FindDatasetFiles(const std::vector<std::string>& paths) {
  std::vector<DatasetFile> files;
  for (const std::string& path : paths) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) {
      return Fail(ErrorCode::kCannotRead, std::string("Cannot open: ") + std::strerror(errno), path,
                  "Give a file or a directory of the dataset.");
    }
    if (S_ISDIR(status.st_mode)) {
      Walk(path, "", 0, files);
    } else {
      const size_t slash = path.rfind('/');
      files.push_back(
          FileOf(path, slash == std::string::npos ? path : path.substr(slash + 1), status));
    }
  }
  if (files.empty()) {
    return Fail(ErrorCode::kCannotRead, "There are no files here", paths.empty() ? "" : paths[0]);
  }
  std::ranges::sort(files, {},
                    [](const DatasetFile& file) { return std::tie(file.name, file.path); });
  return files;
}

}  // namespace stepscope
