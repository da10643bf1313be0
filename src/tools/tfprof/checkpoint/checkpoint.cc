#include "tools/tfprof/checkpoint/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>

#include "io/byte_source.h"
#include "io/crc32c.h"
#include "read/protobuf/walk.h"
#include "tools/tfprof/checkpoint/table.h"

namespace stepscope {
namespace {

enum HeaderField : uint32_t { kHeaderShards = 1, kHeaderEndianness = 2 };
enum EntryField : uint32_t {
  kEntryType = 1,
  kEntryShape = 2,
  kEntryShard = 3,
  kEntryOffset = 4,
  kEntrySize = 5,
  kEntryCrc = 6,
  kEntrySlices = 7
};
constexpr uint64_t kBigEndian = 1;
constexpr std::string_view kSuffix = ".index";

Checkpoint::Variable ParseEntry(const std::string& name, std::string_view bytes,
                                MessageFaults& faults) {
  Checkpoint::Variable variable;
  variable.name = name;
  WalkMessage(bytes, "BundleEntryProto", faults, [&](const WireReader& r) {
    switch (r.field()) {
      case kEntryType:
        variable.type = static_cast<DataType>(r.Signed());
        break;
      case kEntryShape:
        variable.shape = ParseTensorShape(r.Bytes());
        break;
      case kEntryShard:
        variable.shard = static_cast<int32_t>(r.Signed());
        break;
      case kEntryOffset:
        variable.offset = r.Unsigned();
        break;
      case kEntrySize:
        variable.size = r.Unsigned();
        break;
      case kEntryCrc:
        variable.masked_crc = static_cast<uint32_t>(r.Unsigned());
        break;
      case kEntrySlices:
        variable.sliced = true;
        break;
      default:
        break;
    }
  });
  return variable;
}

}  // namespace

const Checkpoint::Variable* Checkpoint::Find(std::string_view name) const {
  const auto at = std::lower_bound(
      variables.begin(), variables.end(), name,
      [](const Variable& variable, std::string_view wanted) { return variable.name < wanted; });
  return at != variables.end() && at->name == name ? &*at : nullptr;
}

Result<Checkpoint> ReadCheckpoint(const std::string& prefix, Diagnostics& diagnostics) {
  const std::string base =
      prefix.ends_with(kSuffix) ? prefix.substr(0, prefix.size() - kSuffix.size()) : prefix;
  const Result<FileBytes> file = ReadWhole(base + std::string(kSuffix));
  if (!file) return std::unexpected(file.error());
  return ParseCheckpointIndex({file->bytes().data(), file->bytes().size()}, base, diagnostics);
}

Result<Checkpoint> ParseCheckpointIndex(std::string_view bytes, const std::string& prefix,
                                        Diagnostics& diagnostics) {
  Checkpoint checkpoint;
  checkpoint.prefix = prefix;
  const std::string path = prefix + std::string(kSuffix);
  const auto rows = ReadTable(bytes, path);
  if (!rows) return std::unexpected(rows.error());
  for (const auto& [key, value] : *rows) {
    MessageFaults faults(value, diagnostics);
    if (key.empty()) {
      uint64_t endianness = 0;
      WalkMessage(value, "BundleHeaderProto", faults, [&](const WireReader& r) {
        if (r.field() == kHeaderShards) checkpoint.shards = static_cast<int32_t>(r.Signed());
        if (r.field() == kHeaderEndianness) endianness = r.Unsigned();
      });
      if (endianness == kBigEndian) {
        return Fail(ErrorCode::kUnsupported, "the checkpoint is big-endian", path,
                    "save it again on a little-endian machine");
      }
      continue;
    }
    // Keys of slices begin with a zero byte; their variable has an entry of its own.
    if (key[0] != '\0') checkpoint.variables.push_back(ParseEntry(key, value, faults));
  }
  std::sort(checkpoint.variables.begin(), checkpoint.variables.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return checkpoint;
}

Result<std::string> ReadValues(const Checkpoint& checkpoint, const Checkpoint::Variable& variable) {
  const std::string path =
      fmt::format("{}.data-{:05}-of-{:05}", checkpoint.prefix, variable.shard, checkpoint.shards);
  if (variable.sliced) {
    return Fail(
        ErrorCode::kUnsupported,
        "the variable " + variable.name + " is stored in slices, which are not put together", path);
  }
  const Result<FileBytes> file = ReadWhole(path);
  if (!file) return std::unexpected(file.error());
  const std::string_view bytes(file->bytes().data(), file->bytes().size());
  if (variable.offset > bytes.size() || variable.size > bytes.size() - variable.offset) {
    Error error{ErrorCode::kDamaged, "the values of " + variable.name + " lie past the end", path,
                variable.offset, "the data file is cut short: copy it again"};
    return std::unexpected(std::move(error));
  }
  std::string values(bytes.substr(variable.offset, variable.size));
  const bool fixed_size = SizeOf(variable.type) > 0;
  if (fixed_size && MaskCrc(Crc32c(values)) != variable.masked_crc) {
    Error error{ErrorCode::kDamaged,
                "the values of " + variable.name + " do not match their checksum", path,
                variable.offset, "the data file is damaged: copy it again"};
    return std::unexpected(std::move(error));
  }
  return values;
}

}  // namespace stepscope
