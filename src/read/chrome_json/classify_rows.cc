#include "read/chrome_json/classify_rows.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "read/chrome_json/accelerator_rows.h"
#include "read/chrome_json/row_names.h"
#include "read/chrome_json/timeline_rows.h"
#include "read/chrome_json/viewer_rows.h"

namespace stepscope::chrome_json {
namespace {

using RowKey = std::pair<std::string, std::string>;

RowKey KeyOf(const EventBlock& block, const EventBlock::TrackKey& track) {
  return {SpellingOf(block, track.process), SpellingOf(block, track.thread)};
}

// Flows and instants carry no category that says device. Where only a stream has their numbers,
// that is their row.
void BringToStreams(std::span<ParsedChunk> chunks, TaskPool& pool) {
  std::vector<std::vector<bool>> has_spans(chunks.size());
  pool.ForEach(chunks.size(), [&](size_t c) {
    const EventBlock& block = chunks[c].block;
    has_spans[c].resize(block.tracks.size());
    for (const uint32_t track : block.track) has_spans[c][track] = true;
    for (const EventBlock::Half& half : block.halves) has_spans[c][half.track] = true;
  });
  std::set<RowKey> streams;
  std::set<RowKey> threads;
  for (size_t c = 0; c < chunks.size(); ++c) {
    const EventBlock& block = chunks[c].block;
    for (size_t t = 0; t < block.tracks.size(); ++t) {
      const TrackKind kind = block.tracks[t].kind;
      if (kind == TrackKind::kStream) streams.insert(KeyOf(block, block.tracks[t]));
      if (kind == TrackKind::kThread && has_spans[c][t]) {
        threads.insert(KeyOf(block, block.tracks[t]));
      }
    }
  }
  if (streams.empty()) return;
  for (ParsedChunk& chunk : chunks) {
    for (EventBlock::TrackKey& track : chunk.block.tracks) {
      if (track.kind != TrackKind::kThread) continue;
      const RowKey key = KeyOf(chunk.block, track);
      if (streams.contains(key) && !threads.contains(key)) track.kind = TrackKind::kStream;
    }
  }
}

}  // namespace

void ClassifyRows(std::span<ParsedChunk> chunks, Format format, std::vector<Device>& devices,
                  TaskPool& pool) {
  if (format == Format::kTensorFlowTimeline) {
    ClassifyTimelineRows(chunks, RowNames(chunks), devices);
  } else if (format == Format::kChrome || format == Format::kKineto) {
    const RowNames names(chunks);
    const bool viewer = names.AnyProcess("/device:") || names.AnyProcess("/host:");
    if (format == Format::kChrome && viewer) ClassifyViewerRows(chunks, names, devices, pool);
    if (HasAcceleratorRows(chunks, names)) ClassifyAcceleratorRows(chunks, names, devices, pool);
  }
  BringToStreams(chunks, pool);
}

}  // namespace stepscope::chrome_json
