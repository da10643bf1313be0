#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// The type of a file, recognised by its first bytes (after decompression), never by its name.
enum class FileType : uint8_t {
  kChromeJson,
  kXPlane,
  kRunMetadata,
  kGraphDef,
  kTfEvents,
  kOpLog,
  kTfprofProfile,  // ProfileProto
  kOnnxModel,
  kCheckpointIndex,
  kMemorySnapshot,
  kExecutionTrace,
  kXprofToolOutput,
  kSqlite,
  kNsysReport,
  kRocprofJson,
  kTorchTraceLog,
  kRecording,  // of `stepscope record`
  kPerfetto,
  kEmpty,
  kUnknown
};

// What a directory is searched for.
enum class FileUse : uint8_t {
  kProfile,  // opened and listed by itself
  kBeside    // explains a profile, is read when it is named, or is of no use
};

struct FileTypeFacts {
  FileType type;
  std::string_view name;
  FileUse use;
};
inline constexpr auto kFileTypes = std::to_array<FileTypeFacts>({
    {FileType::kChromeJson, "Chrome trace (JSON)", FileUse::kProfile},
    {FileType::kXPlane, "XPlane profile", FileUse::kProfile},
    {FileType::kRunMetadata, "TensorFlow RunMetadata", FileUse::kProfile},
    {FileType::kGraphDef, "TensorFlow graph", FileUse::kBeside},
    {FileType::kTfEvents, "TensorBoard event file", FileUse::kBeside},
    {FileType::kOpLog, "tfprof op log", FileUse::kBeside},
    {FileType::kTfprofProfile, "tfprof profile", FileUse::kBeside},
    {FileType::kOnnxModel, "ONNX model", FileUse::kBeside},
    {FileType::kCheckpointIndex, "TensorFlow checkpoint index", FileUse::kBeside},
    {FileType::kMemorySnapshot, "PyTorch memory snapshot (pickle)", FileUse::kProfile},
    {FileType::kExecutionTrace, "PyTorch execution trace", FileUse::kBeside},
    {FileType::kXprofToolOutput, "XProf tool output", FileUse::kBeside},
    {FileType::kSqlite, "SQLite database", FileUse::kProfile},
    {FileType::kNsysReport, "Nsight Systems report", FileUse::kBeside},
    {FileType::kRocprofJson, "rocprofv3 trace (JSON)", FileUse::kProfile},
    {FileType::kTorchTraceLog, "torch.compile log (TORCH_TRACE)", FileUse::kBeside},
    {FileType::kRecording, "recording of stepscope record", FileUse::kProfile},
    {FileType::kPerfetto, "Perfetto trace (protobuf)", FileUse::kProfile},
    {FileType::kEmpty, "empty file", FileUse::kBeside},
    {FileType::kUnknown, "file of an unknown kind", FileUse::kBeside},
});
static_assert([] {
  for (size_t i = 0; i < kFileTypes.size(); ++i) {
    if (static_cast<size_t>(kFileTypes[i].type) != i) return false;
  }
  return true;
}());

constexpr const FileTypeFacts& FactsOf(FileType type) {
  return kFileTypes[static_cast<size_t>(type)];
}
constexpr std::string_view NameOf(FileType type) { return FactsOf(type).name; }

// `head` holds the first bytes, kSniffedBytes of them where the file is that long.
inline constexpr size_t kSniffedBytes = size_t{64} << 10;
FileType FileTypeOf(std::string_view head);
// kUnknown when it cannot be read.
FileType FileTypeAt(const std::string& path);

}  // namespace stepscope
