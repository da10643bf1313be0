#include "ranks/clock_drift.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ranks/statistics.h"
#include "ranks/student.h"

namespace stepscope {
namespace {

constexpr size_t kDriftMarks = 8;
constexpr size_t kManyMarks = 32;     // of which some may be out of line
constexpr size_t kPairedMarks = 256;  // whose pairs are looked at
constexpr double kLeastDrift = 2000;  // ns over the whole span
constexpr double kMostSlope = 1e-3;   // no crystal is that bad: the calls are matched wrongly
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

// How much the marks scatter around the line, and how well that is known. A line goes through some
// of a few marks exactly, so that half of them say nothing about the others.
std::pair<double, double> ScatterAround(const std::vector<double>& rest) {
  const double freedom = static_cast<double>(rest.size()) - 2;
  if (rest.size() >= kManyMarks) {
    return {kErrorOfMedian * Scatter(rest), kFreedomOfDeviation * freedom};
  }
  const double middle = Median(rest);
  double squares = 0;
  for (const double one : rest) squares += (one - middle) * (one - middle);
  return {kErrorOfMedian * std::sqrt(squares / freedom), freedom};
}

}  // namespace

std::optional<DriftLine> FindDrift(std::vector<ClockMark> marks, double tail) {
  if (marks.size() < kDriftMarks) return std::nullopt;
  std::ranges::stable_sort(marks, {}, &ClockMark::time);
  const int64_t span = marks.back().time - marks.front().time;
  if (span <= 0) return std::nullopt;
  DriftLine line;
  line.slope = MedianSlope(marks, span);
  // Differences of seconds and times of minutes: relative to the first, doubles hold them exactly.
  const ClockMark first = marks.front();
  std::vector<double> rest;
  for (const ClockMark& mark : marks) {
    rest.push_back(static_cast<double>(mark.difference - first.difference) -
                   line.slope * static_cast<double>(mark.time - first.time));
  }
  const auto [scatter, freedom] = ScatterAround(rest);
  const double error = kSlopeError * scatter / std::sqrt(static_cast<double>(marks.size()));
  const double sure = StudentQuantile(tail, freedom);
  const double drifted = std::abs(line.slope) * static_cast<double>(span);
  if (drifted < std::max(kLeastDrift, sure * error) || std::abs(line.slope) > kMostSlope) {
    return std::nullopt;
  }
  line.start = static_cast<double>(first.difference) + Median(std::move(rest)) -
               line.slope * static_cast<double>(first.time);
  line.error = error * std::max(1.0, sure / 3);
  return line;
}

}  // namespace stepscope
