#pragma once

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
std::string_view NameOf(FileType type);  // "PyTorch memory snapshot (pickle)" …

// `head` holds the first bytes, kSniffedBytes of them where the file is that long.
inline constexpr size_t kSniffedBytes = size_t{64} << 10;
FileType FileTypeOf(std::string_view head);
// kUnknown when it cannot be read.
FileType FileTypeAt(const std::string& path);

}  // namespace stepscope
