#include "read/chrome_json/chrome_json_reader.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "read/chrome_json/classify_rows.h"
#include "read/chrome_json/document.h"
#include "read/chrome_json/format.h"
#include "read/chrome_json/input_window.h"
#include "read/open_options.h"
#include "trace/trace_builder.h"
#include "words/quality.h"
#include "words/read.h"

namespace stepscope::chrome_json {
namespace {

constexpr SayFrom<kReadTexts, kQualityTexts> Say;

EventCounts CountsOf(const std::vector<ParsedChunk>& chunks) {
  EventCounts counts;
  for (const ParsedChunk& chunk : chunks) {
    for (size_t letter = 0; letter < chunk.phases.size(); ++letter) {
      if (chunk.phases[letter] == 0) continue;
      counts.by_phase[std::string(1, static_cast<char>(letter))] += chunk.phases[letter];
    }
    for (const auto& [phase, count] : chunk.other_phases) counts.by_phase[phase] += count;
    for (const auto& [category, count] : chunk.complete_by_category) {
      counts.complete_by_category[category] += count;
    }
  }
  return counts;
}

// Kineto says what its times count from; older files have microseconds since 1970 themselves.
TraceBuilder::Epoch EpochOf(const std::vector<ParsedChunk>& chunks, const TopLevel& top) {
  constexpr int64_t kYear2001 = 1'000'000'000'000'000'000;
  if (top.base_time_ns) return {true, *top.base_time_ns};
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const ParsedChunk& chunk : chunks) {
    for (const int64_t start : chunk.block.start) first = std::min(first, start);
  }
  const bool plausible = first >= kYear2001 && first != std::numeric_limits<int64_t>::max();
  return {plausible, 0};
}

void DiagnoseInput(const InputWindow& input, Diagnostics& diagnostics) {
  if (input.damage()) {
    diagnostics.Add(Diagnostic::kGzipDamaged, 1, input.damage()->offset, input.damage()->sentence);
  }
  if (input.source().trailing_garbage() > 0) {
    diagnostics.Add(Diagnostic::kTrailingGarbage, 1, std::nullopt, Say("quality.after-data"));
  }
}

}  // namespace

Result<Trace> ReadChromeJson(OpenedSource source, const EventListOptions& options, TaskPool& pool,
                             Diagnostics& diagnostics) {
  InputWindow input(*source.bytes);
  std::vector<ParsedChunk> chunks;
  DocumentParts parts = ReadDocument(input, options, pool, diagnostics, [&](ParsedChunk chunk) {
    if (chunk.block.event_count > 0) chunks.push_back(std::move(chunk));
  });
  if (options.stop.stop_requested()) return std::unexpected(Interrupted(source.path));
  DiagnoseInput(input, diagnostics);
  if (!parts.found_events) {
    return std::unexpected(Error{ErrorCode::kCannotRead, Say("read.no-event-list"), source.path,
                                 input.offset(), Say("read.check-end")});
  }
  TellFormat(chunks, parts);
  ClassifyRows(chunks, parts.top.facts.format, parts.top.devices, pool);

  std::vector<SeenGroup> groups;
  for (const ParsedChunk& chunk : chunks) {
    groups.insert(groups.end(), chunk.groups.begin(), chunk.groups.end());
  }
  NoteGroups(groups, parts.top.facts);

  EventCounts counts = CountsOf(chunks);
  const TraceBuilder::Epoch epoch = EpochOf(chunks, parts.top);
  TraceBuilder builder;
  for (ParsedChunk& chunk : chunks) builder.Append(std::move(chunk.block));
  chunks.clear();
  Trace trace = std::move(builder).Build(std::move(parts.top.facts), std::move(parts.top.devices),
                                         std::move(counts), epoch, pool, diagnostics);
  trace.path = source.path;
  return trace;
}

}  // namespace stepscope::chrome_json
