#include "ranks/clock_drift.h"

#include <algorithm>
#include <cmath>

#include "ranks/statistics.h"

namespace stepscope {
namespace {

constexpr int64_t kLeastSpan = 60'000'000'000;
constexpr size_t kDriftMarks = 8;
constexpr size_t kPairedMarks = 256;  // whose pairs are looked at
constexpr double kLeastDrift = 2000;  // ns over the whole span
constexpr double kMostSlope = 1e-3;   // no crystal is that bad: the calls are matched wrongly
constexpr double kSureDrift = 5;      // standard errors
const double kSlopeError = std::sqrt(12.0);  // of a slope over a span, with marks all along it

// The median slope of pairs that are far apart: outliers do not bend it.
double MedianSlope(const std::vector<ClockMark>& marks, int64_t span) {
  std::vector<double> slopes;
  const size_t stride = std::max<size_t>(1, (marks.size() + kPairedMarks - 1) / kPairedMarks);
  for (size_t i = 0; i < marks.size(); i += stride) {
    for (size_t j = i + stride; j < marks.size(); j += stride) {
      const int64_t apart = marks[j].time - marks[i].time;
      if (apart < span / 4) continue;
      slopes.push_back(static_cast<double>(marks[j].difference - marks[i].difference) /
                       static_cast<double>(apart));
    }
  }
  return Median(std::move(slopes));
}

}  // namespace

std::optional<DriftLine> FindDrift(std::vector<ClockMark> marks) {
  if (marks.size() < kDriftMarks) return std::nullopt;
  std::ranges::stable_sort(marks, {}, &ClockMark::time);
  const int64_t span = marks.back().time - marks.front().time;
  if (span < kLeastSpan) return std::nullopt;
  DriftLine line;
  line.slope = MedianSlope(marks, span);
  // Differences of seconds and times of minutes: relative to the first, doubles hold them exactly.
  const ClockMark first = marks.front();
  std::vector<double> rest;
  for (const ClockMark& mark : marks) {
    rest.push_back(static_cast<double>(mark.difference - first.difference) -
                   line.slope * static_cast<double>(mark.time - first.time));
  }
  const double scatter = kSigmaOfDeviation * Deviation(rest);
  const double error = kSlopeError * scatter / std::sqrt(static_cast<double>(marks.size()));
  const double drifted = std::abs(line.slope) * static_cast<double>(span);
  if (drifted < std::max(kLeastDrift, kSureDrift * error) || std::abs(line.slope) > kMostSlope) {
    return std::nullopt;
  }
  line.start = static_cast<double>(first.difference) + Median(std::move(rest)) -
               line.slope * static_cast<double>(first.time);
  line.error = error;
  return line;
}

}  // namespace stepscope
