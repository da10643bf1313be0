#include "ranks/job.h"

#include <array>

namespace stepscope {

std::string_view NameOf(CostKind cost) {
  constexpr std::array<std::string_view, 4> kNames = {"transfer", "arrival_skew", "mixed",
                                                      "cannot_tell"};
  return kNames[static_cast<size_t>(cost)];
}

std::string_view NameOf(StragglerCause cause) {
  constexpr std::array<std::string_view, 6> kNames = {"input",  "more_work", "slower_kernels",
                                                      "launch", "copies",    "unknown"};
  return kNames[static_cast<size_t>(cause)];
}

std::string_view NameOf(PathKind kind) {
  constexpr std::array<std::string_view, kPathKinds> kNames = {"compute", "transfer", "input",
                                                               "copy", "host"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace stepscope
