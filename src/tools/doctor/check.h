#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/message.h"

namespace stepscope {

enum class CheckStatus : uint8_t { kFine, kNote, kBad };  // ✔ ! ✗

// One line of the doctor: what was found, what that means here, and what to do about it.
struct Check {
  std::string area;  // "cpu", "memory", "gpu", "cuda", "profiling", "framework", "environment" …
  CheckStatus status = CheckStatus::kFine;
  Sentences sentence;
  Sentences fix;  // empty where there is nothing to do
};

}  // namespace stepscope
