#pragma once

#include <array>
#include <string_view>

#include "read/protobuf/tensor_proto.h"
#include "read/tfevents/run_log.h"

namespace stepscope {

// A serialized HistogramProto (the old encoding).
Histogram ParseHistogramProto(std::string_view message);
// A tensor of shape [k, 3]: left edge, right edge, count (the new encoding).
Histogram HistogramOfTensor(const TensorProto& tensor);

// What TensorBoard's distributions tab shows of a histogram: its values at the points 0, 6.68,
// 15.87, 30.85, 50, 69.15, 84.13, 93.32 and 100 percent, interpolated inside a bucket.
inline constexpr std::array<double, 9> kDistributionPercents{0,     6.68,  15.87, 30.85, 50,
                                                             69.15, 84.13, 93.32, 100};
std::array<double, 9> DistributionOf(const Histogram& histogram);

}  // namespace stepscope
