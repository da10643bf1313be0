#pragma once

#include <functional>
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

struct OpenOptions {
  std::string run;  // which run of a logdir; the newest by default
  Progress progress;
  std::stop_token stop;  // reading ends soon after it says so, with kInterrupted
  std::vector<std::string>* graphs = nullptr;  // gets the GraphDef files among the paths
  // Asks the user whether to run a program that reading needs; nobody is asked where it is empty.
  std::function<bool(const std::string& question)> ask;
};

// The error of a read that was asked to stop.
Error Interrupted(const std::string& path);

// Opens files, directories and "-", groups what belongs together, reads each trace. An Error only
// when nothing at all could be read.
Result<Profile> OpenProfile(const std::vector<std::string>& paths, const OpenOptions& options,
                            TaskPool& pool);

// The files that paths stand for, each of which can be opened by itself: directories are listed, of
// a log directory one run is chosen, and files of other types are left out. Recordings stay
// directories.
struct FoundFile {
  std::string path;
  FileType type = FileType::kUnknown;
  bool named = true;  // by the user; else found in a directory
};
Result<std::vector<FoundFile>> FindFiles(const std::vector<std::string>& paths,
                                         const std::string& run);

}  // namespace stepscope
