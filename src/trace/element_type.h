#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope {

// Bytes an element of this type has, as PyTorch's collectives ("BFloat16"), its ops ("c10::Half")
// and XLA ("f32") spell it; 0 when unknown.
int64_t ElementBytes(std::string_view dtype);

}  // namespace stepscope
