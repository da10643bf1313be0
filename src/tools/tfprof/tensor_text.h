#pragma once

#include <string>
#include <string_view>

#include "read/graph_def/graph_def.h"

namespace stepscope::tfprof {

// The values of a tensor as tfprof prints them: nested brackets, two digits after the point, cut
// after 10,000 characters. Empty for types it does not print.
std::string FormatTensor(DataType type, const TensorShape& shape, std::string_view values);

}  // namespace stepscope::tfprof
