#include "fleet/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "fleet/json_fields.h"
#include "io/byte_source.h"
#include "present/json_writer.h"

namespace stepscope::fleet {
namespace {

namespace fs = std::filesystem;

Status StatusNamed(std::string_view name) {
  for (const Status status : {Status::kOk, Status::kPartial}) {
    if (NameOf(status) == name) return status;
  }
  return Status::kFailed;
}

}  // namespace

Result<Manifest> Manifest::Read(const std::string& directory, std::string_view format) {
  Manifest manifest;
  std::vector<std::string> files;
  std::error_code error;
  const std::string begin = fmt::format("_manifest-{}-", format);
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(begin) && name.ends_with(".jsonl")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const std::string& file : files) {
    const Result<FileBytes> bytes = ReadWhole(file);
    if (!bytes) return std::unexpected(bytes.error());
    std::string_view text(bytes->bytes().data(), bytes->bytes().size());
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const Result<JsonValue> line = ParseJson(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      // A line that cannot be read stands for a path that is read again.
      if (!line || (*line)["path"].text().empty()) continue;
      manifest.entries_.emplace(
          (*line)["path"].text(),
          ManifestEntry{IntegerIn(*line, "bytes"), IntegerIn(*line, "mtime_unix_ns"),
                        StatusNamed((*line)["status"].text()),
                        (*line)["stepscope_version"].text()});
    }
  }
  return manifest;
}

bool Manifest::Has(const ListedPath& listed, Again again) const {
  const auto [first, last] = entries_.equal_range(listed.path);
  return std::any_of(first, last, [&](const auto& known) {
    const ManifestEntry& entry = known.second;
    if (entry.bytes != listed.bytes || entry.mtime_unix_ns != listed.mtime_unix_ns) return false;
    switch (again) {
      case Again::kNone:
        return true;
      case Again::kFailed:
        return entry.status != Status::kFailed;
      case Again::kOlder:
        return entry.version == STEPSCOPE_VERSION;
      case Again::kAll:
        return false;
    }
    std::unreachable();
  });
}

std::string ManifestName(std::string_view format, std::string_view batch) {
  return fmt::format("_manifest-{}-{}.jsonl", format, batch);
}

std::string ManifestLine(const ListedPath& listed, Status status, DurationNs took) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject();
  json.Field("path", listed.path);
  json.Field("bytes", listed.bytes);
  json.Field("mtime_unix_ns", listed.mtime_unix_ns);
  json.Field("status", NameOf(status));
  json.Field("stepscope_version", STEPSCOPE_VERSION);
  json.Field("analyze_ns", took.ns);
  json.EndObject();
  return text + "\n";
}

}  // namespace stepscope::fleet
