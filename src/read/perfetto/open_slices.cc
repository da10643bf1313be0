#include "read/perfetto/open_slices.h"

#include <algorithm>
#include <limits>

namespace stepscope::perfetto {

OpenSlices::Row& OpenSlices::RowAt(uint32_t track, int64_t time) {
  // Times beyond are faults that the builder knows how to treat.
  constexpr int64_t kFurthest = std::numeric_limits<int64_t>::max() / 4;
  if (track >= rows_.size()) rows_.resize(track + 1, Row{-kFurthest, {}});
  Row& row = rows_[track];
  if (time < row.last || time > kFurthest) in_order_ = false;
  row.last = time;
  return row;
}

void OpenSlices::Begin(uint32_t track, int64_t time, StringId name, Kind kind, uint32_t args) {
  RowAt(track, time).open.push_back(static_cast<uint32_t>(out_.block().start.size()));
  out_.Span(time, 0, name, track, kind, args);
}

void OpenSlices::End(uint32_t track, int64_t time, StringId name) {
  Row& row = RowAt(track, time);
  if (row.open.empty()) return out_.Half(time, name, track, Kind::kOther, false);
  EventBlock& block = out_.block();
  const uint32_t span = row.open.back();
  row.open.pop_back();
  if (name != kEmptyString && block.name[span] != name) in_order_ = false;
  block.duration[span] = time - block.start[span];
}

void OpenSlices::Finish() {
  std::vector<uint32_t> open;
  for (const Row& row : rows_) open.insert(open.end(), row.open.begin(), row.open.end());
  if (open.empty()) return;
  std::ranges::sort(open);
  EventBlock& b = out_.block();
  for (const uint32_t i : open) {
    b.halves.push_back({b.start[i], b.name[i], b.track[i], b.event[i], b.args[i], b.kind[i], true});
  }
  const auto leave_out = [&](auto&... columns) {
    const auto one = [&](auto& column) {
      size_t next = 0, to = open.front();
      for (size_t from = to; from < column.size(); ++from) {
        if (next < open.size() && from == open[next]) {
          ++next;
        } else {
          column[to++] = column[from];
        }
      }
      column.resize(to);
    };
    (one(columns), ...);
  };
  leave_out(b.start, b.duration, b.name, b.track, b.event, b.args, b.kind, b.flags);
}

}  // namespace stepscope::perfetto
