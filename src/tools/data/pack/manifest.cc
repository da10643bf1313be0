#include "tools/data/pack/manifest.h"

#include <fmt/format.h>

#include <charconv>

#include "base/json_document.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"
#include "present/json_writer.h"

namespace stepscope {
namespace {

constexpr std::string_view kSchema = "stepscope.pack/1";

std::vector<std::string> Texts(const JsonValue& array) {
  std::vector<std::string> texts;
  for (const JsonValue& item : array.items()) texts.push_back(item.text());
  return texts;
}

}  // namespace

std::string ManifestNameOf(const std::string& prefix) { return prefix + ".manifest.json"; }

Result<void> WriteManifest(const PackPlan& plan, const std::string& path) {
  constexpr auto kLines = JsonWriter::Layout::kLines;
  std::string out;
  JsonWriter json(out);
  json.BeginObject(kLines);
  json.Field("schema", kSchema);
  json.Field("fingerprint", fmt::format("{:016x}", plan.fingerprint));
  json.Field("layout", plan.layout == RecordLayout::kRaw ? "raw" : "image-example");
  json.Field("records", plan.files.size());
  json.Key("classes");
  json.BeginArray(kLines);
  for (const std::string& name : plan.classes) json.Value(name);
  json.EndArray();
  json.Objects("shards", kLines, plan.shards, [&](const Shard& shard) {
    json.Field("name", shard.name);
    json.Field("first", shard.first);
    json.Field("records", shard.last - shard.first);
    json.Field("bytes", shard.bytes);
  });
  json.Key("files");
  json.BeginArray(kLines);
  if (plan.layout == RecordLayout::kRaw) {
    for (const PackedFile& file : plan.files) json.Value(file.file.name);
  }
  json.EndArray();
  json.EndObject();
  out += "\n";
  Result<AtomicFile> file = AtomicFile::Create(path, Overwrite::kAllowed);
  if (!file) return std::unexpected(file.error());
  if (const auto written = file->Append(out); !written) return written;
  return file->Commit();
}

std::optional<Manifest> ReadManifest(const std::string& path) {
  const Result<FileBytes> bytes = ReadWhole(path);
  if (!bytes) return std::nullopt;
  const Result<JsonValue> json = ParseJson({bytes->bytes().data(), bytes->bytes().size()});
  if (!json || (*json)["schema"].text() != kSchema) return std::nullopt;
  Manifest manifest;
  const std::string& digits = (*json)["fingerprint"].text();
  std::from_chars(digits.data(), digits.data() + digits.size(), manifest.fingerprint, 16);
  manifest.layout =
      (*json)["layout"].text() == "raw" ? RecordLayout::kRaw : RecordLayout::kImageExample;
  for (const JsonValue& shard : (*json)["shards"].items()) {
    manifest.shards.push_back(shard["name"].text());
    manifest.first_file.push_back(static_cast<uint64_t>(shard["first"].AsInt()));
  }
  manifest.classes = Texts((*json)["classes"]);
  manifest.files = Texts((*json)["files"]);
  return manifest;
}

}  // namespace stepscope
