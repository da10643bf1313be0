#include "read/file_type.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "io/byte_source.h"
#include "io/tfrecord.h"
#include "read/chrome_json/json_value.h"
#include "read/compile_log/compile_log.h"
#include "read/protobuf/wire.h"
#include "read/recording/format.h"

namespace stepscope {
namespace {

using chrome_json::JsonWalk;

FileType TypeOfJsonObject(std::string_view text, bool whole) {
  bool schema = false;
  bool columns = false;
  for (JsonWalk walk(text); walk.Next();) {
    if (walk.Is("traceEvents")) return FileType::kChromeJson;
    if (walk.Is("rocprofiler-sdk-tool")) return FileType::kRocprofJson;
    if (walk.Is("nodes") && schema) return FileType::kExecutionTrace;
    if (walk.Is("rows") && columns) return FileType::kXprofToolOutput;
    schema |= walk.Is("schema");
    columns |= walk.Is("cols");
  }
  // The walk does not reach the member that the end of the head cuts, so look for its name.
  const auto holds = [&](std::string_view key) { return text.find(key) != std::string_view::npos; };
  if (holds("\"traceEvents\"")) return FileType::kChromeJson;
  if (holds("\"rocprofiler-sdk-tool\"")) return FileType::kRocprofJson;
  if (schema && holds("\"nodes\"")) return FileType::kExecutionTrace;
  if (columns || holds("\"cols\"")) return FileType::kXprofToolOutput;
  return whole ? FileType::kUnknown : FileType::kChromeJson;
}

FileType TypeOfJson(std::string_view text, bool whole) {
  if (text[0] == '{') return TypeOfJsonObject(text, whole);
  const size_t first = text.find_first_not_of(" \t\r\n", 1);
  if (first == std::string_view::npos || text[first] == ']') return FileType::kChromeJson;
  if (text[first] != '{') return FileType::kUnknown;
  const size_t key = text.find_first_not_of(" \t\r\n", first + 1);
  if (key != std::string_view::npos && text.substr(key).starts_with("\"cols\"")) {
    return FileType::kXprofToolOutput;
  }
  return FileType::kChromeJson;
}

// The bytes of a message field at the start of `message`, also when the head cuts it.
std::optional<std::string_view> FirstMessage(std::string_view message, uint32_t& field) {
  WireReader reader(message);
  const bool good = reader.Next();
  field = reader.field();
  if (good && reader.type() == WireType::kLength) return reader.Bytes();
  if (reader.cut()) return reader.cut_bytes();
  return std::nullopt;
}

bool IsText(std::string_view bytes) {
  return !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0x7f;
  });
}

// XPlane: an id, then the name of a plane. Most say host or device; the others have fixed names.
bool IsPlane(std::string_view bytes) {
  WireReader reader(bytes);
  while (reader.Next() && reader.field() == 1 && reader.type() == WireType::kVarint) {
  }
  if (reader.field() != 2) return false;
  const std::string_view name = reader.Bytes();
  constexpr auto kNames =
      std::to_array<std::string_view>({"/host:", "/device:", "/virtualdevice:", "#Chip",
                                       "Task Environment", "Host CPUs", "Syscalls"});
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view known) { return name.starts_with(known); });
}

FileType TypeOfFirstField(std::string_view inside) {
  if (IsPlane(inside)) return FileType::kXPlane;
  uint32_t field = 0;
  const std::optional<std::string_view> second = FirstMessage(inside, field);
  if (second && field == 1) {
    uint32_t inner_field = 0;
    const std::optional<std::string_view> third = FirstMessage(*second, inner_field);
    if (third && inner_field == 1 && third->starts_with('/')) return FileType::kRunMetadata;
    if (IsText(*second)) {
      WireReader node(inside);
      node.Next();
      const bool op = node.Next() && node.field() == 2 && IsText(node.Bytes());
      return op ? FileType::kGraphDef : FileType::kOpLog;
    }
    return FileType::kUnknown;
  }
  WireReader packet(inside);
  constexpr uint32_t kTimestamp = 8;
  constexpr uint32_t kTrustedSequence = 10;
  constexpr uint32_t kDeflatedPackets = 50;
  constexpr uint32_t kZstdPackets = 133;
  constexpr int kMostFields = 8;
  for (int i = 0; i < kMostFields && (packet.Next() || packet.cut()); ++i) {
    const uint32_t known = packet.field();
    if (known == kTimestamp || known == kTrustedSequence || known == kDeflatedPackets ||
        known == kZstdPackets) {
      return FileType::kPerfetto;
    }
    if (packet.cut()) break;
  }
  return FileType::kUnknown;
}

// XProf's tool outputs begin with nested messages of doubles or with an op table.
bool IsXprofOutput(std::string_view inside, int depth) {
  constexpr char kFirstDouble = '\x09';
  if (inside.starts_with(kFirstDouble)) return true;
  uint32_t field = 0;
  const std::optional<std::string_view> nested = FirstMessage(inside, field);
  if (!nested) return false;
  if (field == 1 && nested->starts_with('\x08')) {
    WireReader row(*nested);
    row.Next();
    return row.Next() && row.field() == 2 && (row.Bytes() == "Device" || row.Bytes() == "Host");
  }
  return depth > 0 && field == 2 && IsXprofOutput(*nested, depth - 1);
}

// MetaInfoDef, the head of a MetaGraphDef: versions and tags as text, the ops in use by name.
bool IsMetaInfo(std::string_view bytes) {
  constexpr uint32_t kOpList = 2, kAnyInfo = 3, kTensorFlowVersion = 5, kLast = 8;
  WireReader reader(bytes);
  bool told = false;
  while (reader.Next() || reader.cut()) {
    const uint32_t field = reader.field();
    if (field > kLast) return false;
    const std::string_view value = reader.cut() ? reader.cut_bytes() : reader.Bytes();
    if (field == kOpList) {
      uint32_t list_field = 0, op_field = 0;
      const std::optional<std::string_view> op = FirstMessage(value, list_field);
      const std::optional<std::string_view> name =
          op ? FirstMessage(*op, op_field) : std::optional<std::string_view>();
      if (!name || list_field != 1 || op_field != 1 || !IsText(*name)) return false;
      told = true;
    } else if (field < kAnyInfo || field == kTensorFlowVersion) {
      if (!IsText(value)) return false;
      told |= field == kTensorFlowVersion;
    }
    if (reader.cut()) break;
  }
  return told;
}

bool IsMetaGraph(std::string_view head) {
  uint32_t field = 0;
  const std::optional<std::string_view> info = FirstMessage(head, field);
  return info && field == 1 && IsMetaInfo(*info);
}

// A SavedModel: the version of its schema, then its MetaGraphDefs.
bool IsSavedModel(std::string_view head) {
  WireReader reader(head);
  if (!reader.Next() || reader.field() != 1 || reader.type() != WireType::kVarint) return false;
  const bool whole = reader.Next();
  if ((!whole && !reader.cut()) || reader.field() != 2) return false;
  return IsMetaGraph(whole ? reader.Bytes() : reader.cut_bytes());
}

// The bytes of a length-delimited field, also where the head cuts it.
std::string_view BytesOf(const WireReader& reader) {
  return reader.cut() ? reader.cut_bytes() : reader.Bytes();
}

// A map from node ids to nodes: {1: number, 2: {1: name, …}}.
bool IsProfileProto(std::string_view head) {
  WireReader file(head);
  const bool first = file.Next();
  if ((!first && !file.cut()) || file.field() != 1) return false;
  WireReader entry(BytesOf(file));
  if (!entry.Next() || entry.field() != 1 || entry.type() != WireType::kVarint) return false;
  const bool value = entry.Next();
  if ((!value && !entry.cut()) || entry.field() != 2) return false;
  WireReader node(BytesOf(entry));
  return node.Next() && node.field() == 1 && IsText(node.Bytes());
}

// ModelProto: a small version number, a producer's name, an opset or a graph.
bool IsOnnx(std::string_view head) {
  constexpr uint32_t kVersion = 1;
  constexpr uint32_t kProducer = 2;
  constexpr uint32_t kGraph = 7;
  constexpr uint32_t kOpset = 8;
  WireReader file(head);
  if (!file.Next() || file.field() != kVersion || file.type() != WireType::kVarint ||
      file.Unsigned() == 0 || file.Unsigned() > 100) {
    return false;
  }
  while (true) {
    const bool next = file.Next();
    if (!next && !file.cut()) return false;
    if (file.field() == kGraph || file.field() == kOpset) return true;
    if (file.field() == kProducer && !IsText(BytesOf(file)) && !BytesOf(file).empty()) return false;
    if (!next) return false;
  }
}

FileType TypeOfProtobuf(std::string_view head) {
  if (IsSavedModel(head)) return FileType::kGraphDef;
  uint32_t field = 0;
  const std::optional<std::string_view> inside = FirstMessage(head, field);
  if (!inside) return FileType::kUnknown;
  if (field == 1) {
    const FileType type = TypeOfFirstField(*inside);
    return type == FileType::kUnknown && IsMetaInfo(*inside) ? FileType::kGraphDef : type;
  }
  if (IsXprofOutput(*inside, 1)) return FileType::kXprofToolOutput;
  return FileType::kUnknown;
}

FileType TypeOfBinary(std::string_view head) {
  const FileType type = TypeOfProtobuf(head);
  if (type != FileType::kUnknown) return type;
  if (IsProfileProto(head)) return FileType::kTfprofProfile;
  return IsOnnx(head) ? FileType::kOnnxModel : FileType::kUnknown;
}

// GraphDef, MetaGraphDef or SavedModel as text.
bool IsGraphText(std::string_view text) {
  constexpr auto kFirstWords = std::to_array<std::string_view>(
      {"node {", "node{", "meta_info_def {", "meta_info_def{", "graph_def {", "graph_def{",
       "saved_model_schema_version:", "meta_graphs {", "meta_graphs{"});
  return std::any_of(kFirstWords.begin(), kFirstWords.end(),
                     [&](std::string_view word) { return text.starts_with(word); });
}

bool IsPickleOfMemory(std::string_view head) {
  const bool pickle = head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
  return pickle && (head.find("segments") != std::string_view::npos ||
                    head.find("device_traces") != std::string_view::npos);
}

// LevelDB table of a checkpoint: an empty key first, whose value is a header of varints.
bool IsCheckpointIndex(std::string_view head) {
  return head.size() > 4 && head[0] == 0 && head[1] == 0 && head[3] == '\x08';
}

}  // namespace

FileType FileTypeOf(std::string_view head) {
  const bool whole = head.size() < kSniffedBytes;
  if (head.empty()) return FileType::kEmpty;
  if (head.starts_with(std::string_view("SQLite format 3\0", 16))) return FileType::kSqlite;
  if (head.starts_with("NVIDIA Tegra Profiler Report ")) return FileType::kNsysReport;
  if (head.starts_with(recording::kFileMagic)) return FileType::kRecording;
  if (IsPickleOfMemory(head)) return FileType::kMemorySnapshot;
  if (HoldsRecordHeader(head)) return FileType::kTfEvents;
  if (IsCheckpointIndex(head)) return FileType::kCheckpointIndex;

  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.empty()) return FileType::kEmpty;
  if (text[0] == '{' || text[0] == '[') return TypeOfJson(text, whole);
  if (text.starts_with("step_stats {") || text.starts_with("step_stats{")) {
    return FileType::kRunMetadata;
  }
  if (IsGraphText(text)) return FileType::kGraphDef;
  if (IsCompileLog(text)) return FileType::kTorchTraceLog;
  return TypeOfBinary(head);
}

FileType FileTypeAt(const std::string& path) {
  const Result<std::string> head = HeadOf(path, kSniffedBytes);
  return head ? FileTypeOf(*head) : FileType::kUnknown;
}

}  // namespace stepscope
