#include "analyze/explore/calls.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

constexpr size_t kBins = 40;
constexpr size_t kLongest = 20;

// The value at a percentile of sorted durations: the smallest that at least that share reaches.
DurationNs Percentile(const std::vector<DurationNs>& sorted, size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

std::vector<CallBin> HistogramOf(const std::vector<DurationNs>& sorted) {
  const double low = static_cast<double>(std::max<int64_t>(sorted.front().ns, 1));
  const double high = static_cast<double>(sorted.back().ns) + 1;
  std::vector<CallBin> bins;
  auto from = sorted.begin();
  int64_t edge = sorted.front().ns;
  for (size_t bin = 1; bin <= kBins && from != sorted.end(); ++bin) {
    const double share = static_cast<double>(bin) / kBins;
    const int64_t next = bin == kBins
                             ? sorted.back().ns + 1
                             : std::max(edge, std::lround(low * std::pow(high / low, share)));
    if (next == edge) continue;
    const auto to = std::lower_bound(from, sorted.end(), DurationNs{next});
    bins.push_back({{edge}, {next}, static_cast<uint64_t>(to - from)});
    from = to;
    edge = next;
  }
  return bins;
}

}  // namespace

CallStatistics StatisticsOfCalls(const Trace& trace, StringId name, Kind kind) {
  const Slices& slices = trace.slices;
  CallStatistics statistics;
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < slices.size(); ++row) {
    if (slices.name[row] == name && slices.kind[row] == kind) rows.push_back(row);
  }
  if (rows.empty()) return statistics;
  std::vector<DurationNs> sorted;
  sorted.reserve(rows.size());
  for (const uint32_t row : rows) {
    sorted.push_back(slices.duration[row]);
    statistics.total += slices.duration[row];
  }
  std::ranges::sort(sorted);
  statistics.calls = rows.size();
  statistics.min = sorted.front();
  statistics.max = sorted.back();
  statistics.p50 = Percentile(sorted, 50);
  statistics.p90 = Percentile(sorted, 90);
  statistics.p99 = Percentile(sorted, 99);
  statistics.histogram = HistogramOf(sorted);
  const auto longer = [&](uint32_t a, uint32_t b) {
    return slices.duration[a] != slices.duration[b] ? slices.duration[a] > slices.duration[b]
                                                    : a < b;
  };
  const size_t kept = std::min(kLongest, rows.size());
  std::ranges::partial_sort(rows, rows.begin() + static_cast<ptrdiff_t>(kept), longer);
  rows.resize(kept);
  statistics.longest = std::move(rows);
  return statistics;
}

}  // namespace stepscope
