#pragma once

#include <string>
#include <string_view>

// Names of kernels change from version to version while the kernel stays. These forms keep what
// says which kernel it is.
namespace stepscope::diff {

// Without return type, template arguments, parameter list, anonymous namespaces and suffixes that
// compilers add (".clone.3", ".kd"). "void at::native::foo<4, float>(int)" → "at::native::foo".
std::string BaseName(std::string_view kernel);

// The base name with each run of digits as '#', hashes and trailing numbers removed; tiles of
// matrix libraries become "gemm[type]". "triton_poi_fused_add_mul_3" → "triton_poi_fused_add_mul".
std::string FamilyName(std::string_view kernel);

// Digits of one part of a module path as '*': "encoder.layer.3" → "encoder.layer.*", "Block_0" →
// "Block_*".
std::string RolledUp(std::string_view path);

}  // namespace stepscope::diff
