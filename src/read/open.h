#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "io/byte_source.h"
#include "trace/trace.h"

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
  kNsysSqlite,
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

struct OpenOptions {
  std::string run;  // which run of a logdir; the newest by default
  Progress progress;
  std::stop_token stop;  // reading ends soon after it says so, with kInterrupted
  std::vector<std::string>* graphs = nullptr;  // gets the GraphDef files among the paths
};

// The error of a read that was asked to stop.
Error Interrupted(const std::string& path);

// Opens files, directories and "-", groups what belongs together, reads each trace. An Error only
// when nothing at all could be read.
Result<Profile> OpenProfile(const std::vector<std::string>& paths, const OpenOptions& options,
                            TaskPool& pool);

}  // namespace stepscope
