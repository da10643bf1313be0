#include "read/trace_readers.h"

#include <fmt/format.h>

#include <algorithm>
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

// How a type is read, and what to do with a file that cannot be read as a trace.
struct Entry {
  FileType type;
  TraceReader read;
  Message (*next)();
};
constexpr auto kEntries = std::to_array<Entry>({
    {FileType::kChromeJson, ReadChrome, [] { return Say("read.give-trace"); }},
    {FileType::kXPlane, ReadXPlaneSource, [] { return Say("read.give-together"); }},
    {FileType::kRunMetadata, ReadRunMetadataSource, [] { return Say("read.give-together"); }},
    {FileType::kGraphDef, nullptr, [] { return Say("read.give-with-run"); }},
    {FileType::kTfEvents, ReadEventFileSource, [] { return Say("read.use-events"); }},
    {FileType::kOpLog, nullptr, [] { return Say("read.give-together"); }},
    {FileType::kTfprofProfile, nullptr, [] { return Say("read.use-view"); }},
    {FileType::kOnnxModel, nullptr, [] { return Say("read.use-graph"); }},
    {FileType::kCheckpointIndex, nullptr, [] { return Say("read.give-together"); }},
    {FileType::kMemorySnapshot, ReadSnapshotSource, [] { return Say("read.use-memory"); }},
    {FileType::kExecutionTrace, nullptr, [] { return Say("read.report-trace"); }},
    {FileType::kXprofToolOutput, nullptr, [] { return Say("read.report-xplane"); }},
    {FileType::kSqlite, ReadSqliteSource, [] { return Say("read.give-database"); }},
    {FileType::kNsysReport, ReadNsysReportSource, [] { return Say("read.give-database"); }},
    {FileType::kRocprofJson, ReadRocprofSource, [] { return Say("read.give-rocprof"); }},
    {FileType::kTorchTraceLog, nullptr, [] { return Say("read.give-with-log"); }},
    {FileType::kRecording, recording::ReadRecordingSource,
     [] { return Say("read.give-together"); }},
    {FileType::kPerfetto, ReadPerfettoSource, [] { return Say("read.perfetto-again"); }},
    {FileType::kEmpty, nullptr, [] { return Say("read.stopped-before"); }},
    {FileType::kUnknown, nullptr, [] { return Say("read.give-trace"); }},
});

const Entry& EntryOf(FileType type) { return *std::ranges::find(kEntries, type, &Entry::type); }

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

}  // namespace

TraceReader ReaderOf(FileType type) { return EntryOf(type).read; }

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
          std::nullopt, EntryOf(type).next()};
}

}  // namespace stepscope
