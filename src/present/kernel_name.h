#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// A C++ kernel's name without what tells kernels apart the least: return type, parameter list,
// well-known namespaces, and template arguments deeper than the first level.
//   "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>,
//    std::array<char*, 3ul> >(int, …)" → "vectorized_elementwise_kernel<4, CUDAFunctor_add<…>, …>"
// Names that are no C++ declarations come back as they are. Linear.
std::string ShortKernelName(std::string_view name);

}  // namespace stepscope
