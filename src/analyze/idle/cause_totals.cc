#include "analyze/idle/cause_totals.h"

#include <algorithm>
#include <bitset>

namespace stepscope {
namespace {

// The op (or region) that a call was made in, for "aten::item → cudaStreamSynchronize".
StringId OwnerOf(const Trace& trace, uint32_t slice) {
  for (SliceId up = trace.slices.parent[slice]; up != kNoSlice;
       up = trace.slices.parent[Index(up)]) {
    const Kind kind = trace.slices.kind[Index(up)];
    if (kind == Kind::kOp || kind == Kind::kAnnotation) return trace.slices.name[Index(up)];
  }
  return kEmptyString;
}

}  // namespace

void CauseTotals::AddPlace(Total& total, const IdlePiece& piece) {
  // A step marker says nothing about where in the program the time went.
  if (piece.blamed == kNoRow || trace_.slices.kind[piece.blamed] == Kind::kStep) return;
  const uint32_t place = PlaceOf(total, piece.blamed);
  if (place == total.place_time.size()) total.place_time.emplace_back();
  total.place_time[place] += piece.length;
}

uint32_t CauseTotals::PlaceOf(Total& total, uint32_t slice) {
  const uint32_t name = Index(trace_.slices.name[slice]);
  if (trace_.slices.kind[slice] == Kind::kCall) {
    return total.places.Of(uint64_t{Index(OwnerOf(trace_, slice))} << 32 | name);
  }
  // Most places are a name and nothing else: there are as many pieces as spans.
  if (total.place_of_name.empty()) total.place_of_name.assign(trace_.strings.size(), kNoRow);
  uint32_t& known = total.place_of_name[name];
  if (known == kNoRow) known = total.places.Of(name);
  return known;
}

void CauseTotals::AddGap(const std::vector<IdlePiece>& pieces, uint32_t next_work, uint32_t step) {
  std::bitset<kCauses> seen;
  IdleGap run;  // adjoining pieces of one cause, blamed on the longest of them
  DurationNs longest_piece;
  for (const IdlePiece& piece : pieces) {
    Total& total = totals_[static_cast<size_t>(piece.cause)];
    total.time += piece.length;
    if (!seen.test(static_cast<size_t>(piece.cause))) ++total.gaps;
    seen.set(static_cast<size_t>(piece.cause));
    AddPlace(total, piece);

    const bool joins =
        run.cause == piece.cause && run.start + run.length == piece.start && run.length.ns > 0;
    if (!joins) {
      run = {piece.start, {}, piece.cause, kNoSlice, SliceId{next_work}, step};
      longest_piece = {};
    }
    run.length += piece.length;
    if (piece.length > longest_piece) {
      longest_piece = piece.length;
      run.blamed = SliceId{piece.blamed};
    }
    if (run.length > total.longest.length) total.longest = run;
  }
}

std::string CauseTotals::ExampleOf(const Total& total) const {
  const auto most = std::max_element(total.place_time.begin(), total.place_time.end());
  if (most == total.place_time.end()) return {};
  const uint64_t key = total.places.keys()[static_cast<size_t>(most - total.place_time.begin())];
  const std::string_view owner = trace_.strings[StringId{static_cast<uint32_t>(key >> 32)}];
  const std::string_view name = trace_.strings[StringId{static_cast<uint32_t>(key)}];
  if (owner.empty()) return std::string(name);
  return std::string(owner) + " → " + std::string(name);
}

std::vector<IdleCause> CauseTotals::Rows() const {
  std::vector<IdleCause> rows;
  for (size_t cause = 0; cause < kCauses; ++cause) {
    const Total& total = totals_[cause];
    if (total.time.ns == 0) continue;
    rows.push_back({device_, static_cast<Cause>(cause), total.time, total.gaps, total.longest,
                    ExampleOf(total)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const IdleCause& a, const IdleCause& b) { return a.total > b.total; });
  return rows;
}

}  // namespace stepscope
