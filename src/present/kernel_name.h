#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// A C++ kernel's name without what tells kernels apart the least: return type, parameter list,
// namespaces, and template arguments deeper than the first level.
//   "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>,
//    std::array<char*, 3ul> >(int, …)" → "vectorized_elementwise_kernel<4, CUDAFunctor_add<…>, …>"
// Names that are no C++ declarations come back as they are. Linear.
std::string ShortKernelName(std::string_view name);

// A short name with the one template argument that says what the kernel does, for where there is
// less room: "vectorized_elementwise_kernel<CUDAFunctor_add<…>>", "batch_norm_backward_kernel<…>".
// Empty when the name has no template arguments.
std::string WithTellingArgument(std::string_view short_name);

}  // namespace stepscope
