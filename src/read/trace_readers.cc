#include "read/trace_readers.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "read/chrome_json/chrome_json_reader.h"
#include "read/memory_snapshot/snapshot_trace.h"
#include "read/perfetto/perfetto_reader.h"
#include "read/recording/recording.h"
#include "read/rocprof/rocprof_json.h"
#include "read/sqlite_readers.h"
#include "read/tensorflow_readers.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts> Say;

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

Result<Trace> ReadSnapshotSource(OpenedSource source, const OpenOptions&, TaskPool& pool,
                                 Diagnostics& diagnostics) {
  const std::string path = source.path;
  const Result<FileBytes> bytes = ReadWhole(std::move(source));
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->damaged()) return std::unexpected(*bytes->damage());
  return ReadSnapshotTrace({bytes->bytes().data(), bytes->bytes().size()}, path, pool, diagnostics);
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
    {FileType::kMemorySnapshot, ReadSnapshotSource},
    {FileType::kRecording, recording::ReadRecordingSource},
});

// Kinds of files that people hand over by mistake, by their first bytes.
Message NameOfMagic(std::string_view head) {
  using Magic = std::pair<std::string_view, Message>;
  const auto kinds = std::to_array<Magic>({
      {"\x89PNG", Say("read.png")},
      {"\xff\xd8\xff", Say("read.jpeg")},
      {"%PDF", Say("read.pdf")},
      {"PK\x03\x04", Say("read.zip")},
      {"\x7f"
       "ELF",
       Say("read.elf")},
      {"\x89HDF", Say("read.hdf5")},
      {"PAR1", Say("read.parquet")},
      {"BZh", Say("read.bzip2")},
      {"\xfd"
       "7zXZ",
       Say("read.xz")},
      {"\x80", Say("read.pickle")},
      {"<!DOCTYPE", Say("read.html")},
      {"<html", Say("read.html")},
  });
  for (const auto& [magic, name] : kinds) {
    if (head.starts_with(magic)) return name;
  }
  return {};
}

Message NextStep(FileType type) {
  switch (type) {
    case FileType::kMemorySnapshot:
      return Say("read.use-memory");
    case FileType::kExecutionTrace:
      return Say("read.report-trace");
    case FileType::kXprofToolOutput:
      return Say("read.report-xplane");
    case FileType::kTorchTraceLog:
      return Say("read.give-with-log");
    case FileType::kRocprofJson:
      return Say("read.give-rocprof");
    case FileType::kSqlite:
    case FileType::kNsysReport:
      return Say("read.give-database");
    case FileType::kPerfetto:
      return Say("read.perfetto-again");
    case FileType::kTfprofProfile:
      return Say("read.use-view");
    case FileType::kOnnxModel:
      return Say("read.use-graph");
    case FileType::kGraphDef:
      return Say("read.give-with-run");
    case FileType::kXPlane:
    case FileType::kRecording:
    case FileType::kRunMetadata:
    case FileType::kOpLog:
    case FileType::kCheckpointIndex:
      return Say("read.give-together");
    case FileType::kTfEvents:
      return Say("read.use-events");
    case FileType::kEmpty:
      return Say("read.stopped-before");
    case FileType::kChromeJson:
    case FileType::kUnknown:
      return Say("read.give-trace");
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
  Message sentence;
  if (type == FileType::kEmpty) {
    sentence = Say("read.empty");
  } else if (type == FileType::kUnknown) {
    Message what = NameOfMagic(head);
    sentence = what.empty() ? Say("read.unknown") : Say("read.this-is", std::move(what));
  } else {
    const std::string_view name = NameOf(type);
    sentence = name.starts_with('X') || name.starts_with('O') ? Say("read.not-read-an", name)
                                                              : Say("read.not-read", name);
  }
  const bool unknown = type == FileType::kUnknown || type == FileType::kEmpty;
  return {unknown ? ErrorCode::kCannotRead : ErrorCode::kUnsupported, std::move(sentence), path,
          std::nullopt, NextStep(type)};
}

}  // namespace stepscope
