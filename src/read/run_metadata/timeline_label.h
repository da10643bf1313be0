#pragma once

#include <string_view>
#include <vector>

namespace stepscope {

// The label of an op's row: "[GPU_0_bfc 12.0MB] name = Op(input, input)". "unknown" throughout
// where it has another form.
struct OpLabel {
  std::string_view node = "unknown";  // with what stands before the name
  std::string_view op = "unknown";
  std::vector<std::string_view> inputs;
};
OpLabel ParseOpLabel(std::string_view label);

// Whose a kernel is: "… @@name:Op#…" in its label, else "name:Op" as the row's own name.
struct KernelLabel {
  std::string_view node;
  std::string_view op = "unknown";
};
KernelLabel ParseKernelLabel(std::string_view label, std::string_view node_name);

}  // namespace stepscope
