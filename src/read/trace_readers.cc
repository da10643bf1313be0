#include "read/trace_readers.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "read/chrome_json/chrome_json_reader.h"
#include "read/perfetto/perfetto_reader.h"
#include "read/recording/recording.h"
#include "read/rocprof/rocprof_json.h"
#include "read/sqlite_readers.h"
#include "read/tensorflow_readers.h"

namespace stepscope {
namespace {

Result<Trace> ReadChrome(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                         Diagnostics& diagnostics) {
  chrome_json::EventListOptions list;
  list.progress = options.progress;
  list.stop = options.stop;
  return chrome_json::ReadChromeJson(std::move(source), list, pool, diagnostics);
}

Result<Trace> ReadPerfettoSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                                 Diagnostics& diagnostics) {
  const std::string path = source.path;
  const Result<FileBytes> bytes = ReadWhole(std::move(source));
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->damaged()) {
    diagnostics.Add(Diagnostic::kGzipDamaged, 1, bytes->damage()->offset,
                    bytes->damage()->sentence);
  }
  return ReadPerfetto({bytes->bytes().data(), bytes->bytes().size()}, path, options, pool,
                      diagnostics);
}

Result<Trace> ReadRocprofSource(OpenedSource source, const OpenOptions&, TaskPool& pool,
                                Diagnostics& diagnostics) {
  const std::string path = source.path;
  const Result<FileBytes> bytes = ReadWhole(std::move(source));
  if (!bytes) return std::unexpected(bytes.error());
  return ReadRocprofJson({bytes->bytes().data(), bytes->bytes().size()}, path, pool, diagnostics);
}

struct Entry {
  FileType type;
  TraceReader read;
};
constexpr auto kReaders = std::to_array<Entry>({
    {FileType::kChromeJson, ReadChrome},
    {FileType::kXPlane, ReadXPlaneSource},
    {FileType::kRunMetadata, ReadRunMetadataSource},
    {FileType::kTfEvents, ReadEventFileSource},
    {FileType::kSqlite, ReadSqliteSource},
    {FileType::kNsysReport, ReadNsysReportSource},
    {FileType::kPerfetto, ReadPerfettoSource},
    {FileType::kRocprofJson, ReadRocprofSource},
    {FileType::kRecording, recording::ReadRecordingSource},
});

// Kinds of files that people hand over by mistake, by their first bytes.
std::string_view NameOfMagic(std::string_view head) {
  using Magic = std::pair<std::string_view, std::string_view>;
  constexpr auto kMagic = std::to_array<Magic>({
      {"\x89PNG", "a PNG image"},
      {"\xff\xd8\xff", "a JPEG image"},
      {"%PDF", "a PDF document"},
      {"PK\x03\x04", "a ZIP archive"},
      {"\x7f"
       "ELF",
       "a program (ELF)"},
      {"\x89HDF", "an HDF5 file"},
      {"PAR1", "a Parquet file"},
      {"BZh", "bzip2 data"},
      {"\xfd"
       "7zXZ",
       "xz data"},
      {"\x80", "a Python pickle"},
      {"<!DOCTYPE", "an HTML page"},
      {"<html", "an HTML page"},
  });
  for (const auto& [magic, name] : kMagic) {
    if (head.starts_with(magic)) return name;
  }
  return {};
}

std::string_view NextStep(FileType type) {
  switch (type) {
    case FileType::kMemorySnapshot:
      return "Use `stepscope memory` for it.";
    case FileType::kExecutionTrace:
      return "Report the trace that torch.profiler wrote in the same run (*.pt.trace.json).";
    case FileType::kXprofToolOutput:
      return "Report the *.xplane.pb of the same run, from which XProf made this.";
    case FileType::kTorchTraceLog:
      return "Give it with --log beside the profile of the same run.";
    case FileType::kRocprofJson:
      return "Give the JSON file that rocprofv3 wrote.";
    case FileType::kSqlite:
    case FileType::kNsysReport:
      return "Give the SQLite export of an Nsight Systems report.";
    case FileType::kPerfetto:
      return "Record it with track events, GPU stages or scheduling.";
    case FileType::kTfprofProfile:
      return "Use `stepscope view scope` for it.";
    case FileType::kOnnxModel:
      return "Use `stepscope graph` for it; report what a session with enable_profiling wrote.";
    case FileType::kGraphDef:
      return "Give it together with the RunMetadata it belongs to, or use `stepscope graph` for "
             "it.";
    case FileType::kXPlane:
    case FileType::kRecording:
    case FileType::kRunMetadata:
    case FileType::kOpLog:
    case FileType::kCheckpointIndex:
      return "Give it together with the profile it belongs to.";
    case FileType::kTfEvents:
      return "Use `stepscope events` for it, or give the *.xplane.pb of the run.";
    case FileType::kEmpty:
      return "The profiler may have been stopped before it wrote; record again.";
    case FileType::kChromeJson:
    case FileType::kUnknown:
      return "Give a trace of torch.profiler, ONNX Runtime, TensorFlow or JAX.";
  }
  std::unreachable();
}

}  // namespace

TraceReader ReaderOf(FileType type) {
  for (const Entry& entry : kReaders) {
    if (entry.type == type) return entry.read;
  }
  return nullptr;
}

Error WhyNotRead(FileType type, const std::string& path, std::string_view head) {
  std::string sentence;
  if (type == FileType::kEmpty) {
    sentence = "The file is empty.";
  } else if (type == FileType::kUnknown) {
    const std::string_view what = NameOfMagic(head);
    sentence = what.empty() ? std::string("Stepscope does not recognise this file as a profile.")
                            : fmt::format("This is {}, not a profile.", what);
  } else {
    const std::string_view name = NameOf(type);
    sentence = fmt::format("This is {} {}, which Stepscope does not read as a profile.",
                           name.starts_with('X') || name.starts_with('O') ? "an" : "a", name);
  }
  const bool unknown = type == FileType::kUnknown || type == FileType::kEmpty;
  return {unknown ? ErrorCode::kCannotRead : ErrorCode::kUnsupported, std::move(sentence), path,
          std::nullopt, std::string(NextStep(type))};
}

}  // namespace stepscope
