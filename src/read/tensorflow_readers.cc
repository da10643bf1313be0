#include "read/tensorflow_readers.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "read/graph_def/graph_def.h"
#include "read/run_metadata/run_metadata_proto.h"
#include "read/run_metadata/run_metadata_trace.h"
#include "read/tfevents/run_log.h"
#include "read/xplane/xplane_reader.h"
#include "words/quality.h"
#include "words/read.h"

namespace stepscope {
namespace {

constexpr SayFrom<kReadTexts, kQualityTexts> Say;

void ReportDamage(const std::optional<Error>& damage, Diagnostics& diagnostics) {
  if (!damage) return;
  diagnostics.Add(Diagnostic::kGzipDamaged, 1, damage->offset, damage->sentence);
}

std::unexpected<Error> NoRows(const std::string& path) {
  return Fail(ErrorCode::kDamaged, Say("read.no-rows"), path, Say("read.full-trace"));
}

bool HasRows(std::span<const RunMetadata> runs) {
  for (const RunMetadata& run : runs) {
    if (run.rows > run.dropped_rows) return true;
  }
  return false;
}

}  // namespace

Result<Trace> ReadXPlaneSource(OpenedSource source, const OpenOptions& options, TaskPool& pool,
                               Diagnostics& diagnostics) {
  const std::string path = source.path;
  if (source.compression == Compression::kNone && path != "-") {
    const std::unique_ptr<RegularFile> file = RegularFile::Open(path);
    const bool in_pieces = file != nullptr && file->size() <= kInflatedLimit;
    if (const auto pieces = in_pieces ? xplane::SpaceBytes::Open(*file) : nullptr) {
      Result<Trace> trace = ReadXPlane(*pieces, path, pool, diagnostics, options.stop);
      const std::optional<Error> damage = file->Damage();
      if (damage && damage->code == ErrorCode::kCannotRead) return std::unexpected(*damage);
      ReportDamage(damage, diagnostics);
      return trace;
    }
  }
  const Result<FileBytes> bytes = ReadWhole(std::move(source));
  if (!bytes) return std::unexpected(bytes.error());
  ReportDamage(bytes->damage(), diagnostics);
  return ReadXPlane(*bytes, path, pool, diagnostics, options.stop);
}

Result<Trace> ReadRunMetadataSource(OpenedSource source, const OpenOptions&, TaskPool& pool,
                                    Diagnostics& diagnostics) {
  const std::string path = source.path;
  const Result<FileBytes> bytes = ReadWhole(std::move(source));
  if (!bytes) return std::unexpected(bytes.error());
  const Result<RunMetadata> run = ParseRunMetadata(*bytes, path, diagnostics);
  if (!run) return std::unexpected(run.error());
  if (!HasRows({&*run, 1})) return NoRows(path);
  return BuildRunMetadataTrace({&*run, 1}, nullptr, path, pool, diagnostics);
}

Result<Trace> ReadEventFileSource(OpenedSource source, const OpenOptions&, TaskPool& pool,
                                  Diagnostics& diagnostics) {
  const std::string path = source.path;
  // Messages live as long as the record they stand in: kept until the trace is built.
  std::vector<std::unique_ptr<std::string>> messages;
  std::vector<RunMetadata> runs;
  std::optional<GraphDef> graph;
  ReadRunOptions options;
  options.embedded = [&](const EmbeddedMessage& message) {
    const bool run = message.kind == TagKind::kRunMetadata;
    if (!run && (message.kind != TagKind::kGraph || graph)) return;
    messages.push_back(std::make_unique<std::string>(message.bytes));
    if (run) {
      runs.push_back(ParseRunMetadataMessage(*messages.back(), diagnostics));
    } else {
      graph = ParseGraphDefMessage(*messages.back(), diagnostics);
    }
  };
  const RunLog log = ReadRun(path, {path}, options);
  for (const FileDamage& damage : log.damage) {
    diagnostics.Add(Diagnostic::kFileTruncated, 1, damage.offset, damage.sentence);
  }
  if (!HasRows(runs)) {
    return Fail(ErrorCode::kUnsupported, Say("read.events-no-profile"), path,
                Say("read.use-events"));
  }
  return BuildRunMetadataTrace(runs, graph ? &*graph : nullptr, path, pool, diagnostics);
}

Result<Trace> ReadRunMetadataFiles(std::span<const std::string> paths, const std::string& graph,
                                   TaskPool& pool, Diagnostics& diagnostics) {
  std::vector<RunMetadata> runs;
  for (const std::string& path : paths) {
    Result<RunMetadata> run = ReadRunMetadata(path, diagnostics);
    if (run) {
      runs.push_back(std::move(*run));
    } else if (paths.size() == 1) {
      return std::unexpected(std::move(run.error()));
    } else {
      diagnostics.Add(Diagnostic::kFileSkipped, 1, run.error().offset,
                      Say("quality.of-file", path, run.error().sentence));
    }
  }
  if (!HasRows(runs)) return NoRows(paths.front());
  std::optional<GraphDef> known;
  if (!graph.empty()) {
    Result<GraphDef> read = ReadGraphDef(graph, diagnostics);
    if (read) {
      known = std::move(*read);
    } else {
      diagnostics.Add(Diagnostic::kFileSkipped, 1, read.error().offset,
                      Say("quality.of-file", graph, read.error().sentence));
    }
  }
  return BuildRunMetadataTrace(runs, known ? &*known : nullptr, paths.front(), pool, diagnostics);
}

}  // namespace stepscope
