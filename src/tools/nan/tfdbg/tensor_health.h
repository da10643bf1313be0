#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// How tfdbg v2 sums up a tensor (tensorflow.TensorDebugMode).
enum class TensorDebugMode : uint8_t {
  kUnspecified = 0,
  kNoTensor = 1,
  kCurtHealth = 2,
  kConciseHealth = 3,
  kFullHealth = 4,
  kShape = 5,
  kFullNumerics = 6,
  kFullTensor = 7,
  kReduceInfNan = 8,
};
std::string_view NameOf(TensorDebugMode mode);  // "CURT_HEALTH" …
// Whether dumps of this mode can say that a tensor holds NaN or infinities.
bool TellsHealth(TensorDebugMode mode);

struct HealthCounts {
  uint64_t nan = 0;
  uint64_t pos_inf = 0;
  uint64_t neg_inf = 0;
  uint64_t size = 0;
  friend bool operator==(const HealthCounts&, const HealthCounts&) = default;
};

// What a dump says of one tensor.
struct TensorHealth {
  bool known = false;  // false: the mode or the type of the tensor does not tell
  bool bad = false;    // some NaN or infinity
  bool nan = false;    // which kinds, where `kinds_known`
  bool pos_inf = false;
  bool neg_inf = false;
  bool inf = false;  // of a sign that is not told
  bool kinds_known = false;
  std::optional<HealthCounts> counts;  // where the mode counts
};

// Reads the numbers that a mode stores, or counts the tensor itself (FULL_TENSOR). A message that
// does not fit its mode is not known.
TensorHealth HealthOf(TensorDebugMode mode, std::string_view tensor_proto);

}  // namespace stepscope
