#include "fleet/batch.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <utility>

#include "export/arrow_ipc.h"
#include "export/parquet.h"
#include "export/text_table.h"
#include "io/atomic_file.h"
#include "io/byte_sink.h"
#include "words/fleet.h"

namespace stepscope::fleet {
namespace {

constexpr SayFrom<kFleetTexts> Say;

template <typename T>
std::string Shown(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

std::string NameFor(std::span<const ListedPath> paths, const AnalyzeOptions& options) {
  std::string text =
      fmt::format("{} {} {}\n", kTablesVersion, STEPSCOPE_VERSION, NameOf(options.format));
  for (const ListedPath& listed : paths) {
    const PathFacts& facts = listed.facts;
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", listed.path,
                        Shown(listed.bytes), Shown(listed.mtime_unix_ns), Shown(facts.job),
                        Shown(facts.run), Shown(facts.host), Shown(facts.attempt),
                        Shown(facts.rank), Shown(facts.world_size), listed.weight);
  }
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

Result<void> WriteTable(const BatchTable& table, Format format, TaskPool& pool, ByteSink& sink) {
  switch (format) {
    case Format::kParquet:
      return exported::WriteParquet(table,
                                    {.metadata = {{"stepscope.schema", std::string(kTablesVersion)},
                                                  {"stepscope.version", STEPSCOPE_VERSION}}},
                                    pool, sink);
    case Format::kArrow:
      return exported::WriteArrow(table, sink);
    case Format::kJsonl:
      return exported::WriteJsonLines(table, sink);
  }
  std::unreachable();
}

}  // namespace

Result<void> WriteTableFile(const BatchTable& table, Format format, TaskPool& pool,
                            const std::string& path) {
  Result<std::unique_ptr<ByteSink>> sink = OpenSink(path, Compression::kNone);
  if (!sink) return std::unexpected(sink.error());
  Result<void> done = WriteTable(table, format, pool, **sink);
  return done ? (*sink)->Close() : done;
}

Batch::Batch(std::span<const ListedPath> all, size_t first, size_t count,
             const AnalyzeOptions& options)
    : paths_(all.subspan(first, count)),
      first_(first),
      missing_(count),
      name_(NameFor(paths_, options)),
      results_(count) {}

void Batch::Add(FileResult result) {
  --missing_;
  FileResult& place = results_[result.index - first_];
  place = std::move(result);
}

Result<void> Batch::Write(const AnalyzeOptions& options, TaskPool& pool) {
  std::vector<BatchTable> tables(kTables.begin(), kTables.end());
  for (const FileResult& result : results_) {
    std::string_view block = result.block;
    for (BatchTable& table : tables) {
      if (!table.Append(block)) {
        return Fail(ErrorCode::kCannotRead, Say("fleet.rows-cut"),
                    paths_[result.index - first_].path, Say("fleet.again"));
      }
    }
  }
  for (const BatchTable& table : tables) {
    const std::string path = fmt::format("{}/{}-{}.{}", options.directory, table.table().name,
                                         name_, NameOf(options.format));
    if (Result<void> done = WriteTableFile(table, options.format, pool, path); !done) return done;
  }
  std::string manifest;
  for (size_t i = 0; i < results_.size(); ++i) {
    manifest += ManifestLine(paths_[i], results_[i].status, results_[i].took);
  }
  results_ = {};
  return WriteFile(
      fmt::format("{}/{}", options.directory, ManifestName(NameOf(options.format), name_)),
      manifest);
}

}  // namespace stepscope::fleet
