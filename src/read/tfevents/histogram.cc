#include "read/tfevents/histogram.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "read/protobuf/wire.h"

namespace stepscope {
namespace {

void AppendDoubles(const WireReader& field, std::vector<double>& out) {
  if (field.type() != WireType::kLength) {
    out.push_back(field.Double());
    return;
  }
  std::string_view packed = field.Bytes();
  for (; packed.size() >= sizeof(double); packed.remove_prefix(sizeof(double))) {
    double value;
    std::memcpy(&value, packed.data(), sizeof value);
    out.push_back(value);
  }
}

}  // namespace

Histogram ParseHistogramProto(std::string_view message) {
  Histogram histogram;
  histogram.sum = 0;
  histogram.sum_squares = 0;
  std::vector<double> limits;
  std::vector<double> counts;
  for (WireReader r(message); r.Next();) {
    switch (r.field()) {
      case 1:
        histogram.min = r.Double();
        break;
      case 2:
        histogram.max = r.Double();
        break;
      case 3:
        histogram.num = r.Double();
        break;
      case 4:
        histogram.sum = r.Double();
        break;
      case 5:
        histogram.sum_squares = r.Double();
        break;
      case 6:
        AppendDoubles(r, limits);
        break;
      case 7:
        AppendDoubles(r, counts);
        break;
      default:
        break;
    }
  }
  double left = -std::numeric_limits<double>::max();
  for (size_t i = 0; i < std::min(limits.size(), counts.size()); ++i) {
    histogram.buckets.push_back({left, limits[i], counts[i]});
    left = limits[i];
  }
  return histogram;
}

Histogram HistogramOfTensor(const TensorProto& tensor) {
  Histogram histogram;
  constexpr size_t kMostNumbers = 3 * 100000;
  const std::vector<double> numbers = NumbersOf(tensor, kMostNumbers);
  for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
    histogram.buckets.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    histogram.num += numbers[i + 2];
  }
  if (!histogram.buckets.empty()) {
    histogram.min = histogram.buckets.front().left;
    histogram.max = histogram.buckets.back().right;
  }
  return histogram;
}

std::array<double, 9> DistributionOf(const Histogram& histogram) {
  std::array<double, 9> values{};
  double total = 0;
  for (const auto& bucket : histogram.buckets) total += bucket.count;
  if (!(total > 0)) return values;
  for (size_t p = 0; p < values.size(); ++p) {
    values[p] = histogram.max;
    double before = 0;
    for (const auto& bucket : histogram.buckets) {
      const double share = bucket.count * 100 / total;
      if (share > 0 && before + share > kDistributionPercents[p]) {
        const double left = before > 0 ? std::max(bucket.left, histogram.min) : histogram.min;
        const double right = std::min(bucket.right, histogram.max);
        values[p] = left + (kDistributionPercents[p] - before) / share * (right - left);
        break;
      }
      before += share;
    }
  }
  return values;
}

}  // namespace stepscope
