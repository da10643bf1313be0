#include "tools/data/pack/pack_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "io/tfrecord.h"
#include "read/protobuf/wire_writer.h"
#include "words/tools.h"

namespace stepscope {
namespace {

constexpr SayFrom<kToolsTexts> Say;

// A message may not be longer than 2 GiB.
constexpr uint64_t kMostMessage = (uint64_t{1} << 31) - 1;

// FNV-1a.
class Fingerprint {
 public:
  void Add(std::string_view bytes) {
    for (const char c : bytes) {
      value_ = (value_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
    Add(bytes.size());
  }
  void Add(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      value_ = (value_ ^ ((number >> shift) & 0xff)) * 0x100000001b3;
    }
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

std::string_view ClassOf(const std::string& name) {
  const size_t slash = name.find('/');
  return slash == std::string::npos ? std::string_view{} : std::string_view(name).substr(0, slash);
}

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// The same order on every machine: std::shuffle is not.
void Shuffle(std::vector<PackedFile>& files, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t i = files.size(); i > 1; --i) std::swap(files[i - 1], files[random() % i]);
}

void AddClasses(PackPlan& plan) {
  for (const PackedFile& file : plan.files) {
    const std::string_view name = ClassOf(file.file.name);
    if (!name.empty()) plan.classes.emplace_back(name);
  }
  std::ranges::sort(plan.classes);
  plan.classes.erase(std::unique(plan.classes.begin(), plan.classes.end()), plan.classes.end());
  for (PackedFile& file : plan.files) {
    const std::string_view name = ClassOf(file.file.name);
    if (name.empty()) continue;
    file.label = std::ranges::lower_bound(plan.classes, name) - plan.classes.begin();
  }
}

void CutIntoShards(PackPlan& plan, const PackOptions& options) {
  for (size_t i = 0; i < plan.files.size(); ++i) {
    const bool full = !plan.shards.empty() &&
                      plan.shards.back().bytes + plan.files[i].record_bytes > options.shard_bytes;
    if (plan.shards.empty() || full) plan.shards.push_back({{}, i, i, 0});
    Shard& shard = plan.shards.back();
    plan.files[i].offset = shard.bytes;
    shard.bytes += plan.files[i].record_bytes;
    shard.last = i + 1;
    plan.bytes += plan.files[i].record_bytes;
  }
  for (size_t i = 0; i < plan.shards.size(); ++i) {
    plan.shards[i].name =
        fmt::format("{}-{:05}-of-{:05}.tfrecord", options.prefix, i, plan.shards.size());
  }
}

// A map entry of a Feature with one bytes value, but without the value: everything before it.
std::string BytesEntryBefore(std::string_view key, uint64_t value_bytes) {
  const uint64_t list = 1 + VarintSize(value_bytes) + value_bytes;
  const uint64_t feature = 1 + VarintSize(list) + list;
  const uint64_t entry = 2 + key.size() + 1 + VarintSize(feature) + feature;
  std::string out;
  WireWriter writer(out);
  const auto open = [&](uint32_t field, uint64_t size) {
    writer.Raw((uint64_t{field} << 3) | static_cast<uint64_t>(WireType::kLength));
    writer.Raw(size);
  };
  open(1, entry);
  writer.Bytes(1, key);
  open(2, feature);
  open(1, list);
  open(1, value_bytes);
  return out;
}

std::string LabelEntry(int64_t label) {
  std::string list, feature, value, entry, out;
  WireWriter(list).Raw(static_cast<uint64_t>(label));
  WireWriter(value).Bytes(1, list);
  WireWriter(feature).Bytes(3, value);
  WireWriter writer(entry);
  writer.Bytes(1, "image/class/label");
  writer.Bytes(2, feature);
  WireWriter(out).Bytes(1, entry);
  return out;
}

}  // namespace

RecordEnvelope EnvelopeOf(const PackedFile& file, RecordLayout layout) {
  if (layout == RecordLayout::kRaw) return {};
  const std::string label = file.label >= 0 ? LabelEntry(file.label) : "";
  const std::string encoded = BytesEntryBefore("image/encoded", file.file.bytes);
  const std::string name =
      BytesEntryBefore("image/filename", file.file.name.size()) + file.file.name;
  RecordEnvelope envelope;
  WireWriter writer(envelope.before);
  writer.Raw((uint64_t{1} << 3) | static_cast<uint64_t>(WireType::kLength));
  writer.Raw(label.size() + encoded.size() + file.file.bytes + name.size());
  envelope.before += label + encoded;
  envelope.after = name;
  return envelope;
}

Result<PackPlan> PlanPack(std::vector<DatasetFile> files, const PackOptions& options) {
  PackPlan plan;
  plan.prefix = options.prefix;
  const bool images = std::ranges::all_of(
      files, [](const DatasetFile& file) { return file.format == DatasetFormat::kImage; });
  plan.layout = options.layout.value_or(images ? RecordLayout::kImageExample : RecordLayout::kRaw);
  for (DatasetFile& file : files) plan.files.push_back({std::move(file), -1, 0, 0});
  if (plan.layout == RecordLayout::kImageExample) AddClasses(plan);
  if (options.shuffle_seed) Shuffle(plan.files, *options.shuffle_seed);
  Fingerprint fingerprint;
  fingerprint.Add(static_cast<uint64_t>(plan.layout));
  fingerprint.Add(options.shard_bytes);
  fingerprint.Add(options.prefix);
  for (PackedFile& file : plan.files) {
    if (file.file.bytes > kMostMessage - 4096) {
      return Fail(ErrorCode::kUnsupported, Say("data.too-large"), file.file.path,
                  Say("data.cut-first"));
    }
    const RecordEnvelope envelope = EnvelopeOf(file, plan.layout);
    file.record_bytes = kRecordHeaderBytes + envelope.before.size() + file.file.bytes +
                        envelope.after.size() + kRecordFooterBytes;
    fingerprint.Add(file.file.name);
    fingerprint.Add(file.file.bytes);
    fingerprint.Add(static_cast<uint64_t>(file.file.modified_ns));
  }
  plan.fingerprint = fingerprint.value();
  CutIntoShards(plan, options);
  return plan;
}

}  // namespace stepscope
