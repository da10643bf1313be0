#include "tools/nan/tfdbg/tensor_health.h"

#include <cmath>
#include <utility>
#include <vector>

#include "read/protobuf/tensor_proto.h"

namespace stepscope {
namespace {

TensorHealth FromCounts(const HealthCounts& counts) {
  TensorHealth health;
  health.known = health.kinds_known = true;
  health.nan = counts.nan > 0;
  health.pos_inf = counts.pos_inf > 0;
  health.neg_inf = counts.neg_inf > 0;
  health.bad = health.nan || health.pos_inf || health.neg_inf;
  health.counts = counts;
  return health;
}

uint64_t Whole(double value) {
  return value > 0 && value < 1e18 ? static_cast<uint64_t>(value) : 0;
}

// The tensor itself. Where fewer values are stored than the shape says, the last one repeats.
TensorHealth CountTensor(const TensorProto& tensor) {
  if (!IsFloating(tensor.type) || !tensor.size()) return {};
  const uint64_t parts =
      tensor.type == DataType::kComplex64 || tensor.type == DataType::kComplex128 ? 2 : 1;
  const std::vector<double> stored = StoredNumbers(tensor, *tensor.size() * parts);
  HealthCounts counts;
  counts.size = *tensor.size();
  const uint64_t missing = counts.size * parts - stored.size();
  for (size_t i = 0; i < stored.size(); ++i) {
    const uint64_t times = 1 + (i + 1 == stored.size() && tensor.content.empty() ? missing : 0);
    if (std::isnan(stored[i])) counts.nan += times;
    if (std::isinf(stored[i])) (stored[i] > 0 ? counts.pos_inf : counts.neg_inf) += times;
  }
  return FromCounts(counts);
}

}  // namespace

std::string_view NameOf(TensorDebugMode mode) {
  switch (mode) {
    case TensorDebugMode::kUnspecified:
      return "UNSPECIFIED";
    case TensorDebugMode::kNoTensor:
      return "NO_TENSOR";
    case TensorDebugMode::kCurtHealth:
      return "CURT_HEALTH";
    case TensorDebugMode::kConciseHealth:
      return "CONCISE_HEALTH";
    case TensorDebugMode::kFullHealth:
      return "FULL_HEALTH";
    case TensorDebugMode::kShape:
      return "SHAPE";
    case TensorDebugMode::kFullNumerics:
      return "FULL_NUMERICS";
    case TensorDebugMode::kFullTensor:
      return "FULL_TENSOR";
    case TensorDebugMode::kReduceInfNan:
      return "REDUCE_INF_NAN_THREE_SLOTS";
  }
  std::unreachable();
}

bool TellsHealth(TensorDebugMode mode) {
  return mode != TensorDebugMode::kUnspecified && mode != TensorDebugMode::kNoTensor &&
         mode != TensorDebugMode::kShape;
}

TensorHealth HealthOf(TensorDebugMode mode, std::string_view tensor_proto) {
  if (!TellsHealth(mode)) return {};
  const TensorProto tensor = ParseTensorProto(tensor_proto);
  if (mode == TensorDebugMode::kFullTensor) return CountTensor(tensor);
  constexpr size_t kMostNumbers = 22;
  const std::vector<double> numbers = NumbersOf(tensor, kMostNumbers);
  TensorHealth health;
  switch (mode) {
    case TensorDebugMode::kCurtHealth:
      if (numbers.size() < 2) return {};
      health.known = true;
      health.bad = numbers[1] != 0;
      return health;
    case TensorDebugMode::kConciseHealth:
      if (numbers.size() < 5) return {};
      return FromCounts(
          {Whole(numbers[4]), Whole(numbers[3]), Whole(numbers[2]), Whole(numbers[1])});
    case TensorDebugMode::kFullHealth:
    case TensorDebugMode::kFullNumerics:
      if (numbers.size() < 8) return {};
      return FromCounts(
          {Whole(numbers[7]), Whole(numbers[6]), Whole(numbers[5]), Whole(numbers[4])});
    case TensorDebugMode::kReduceInfNan:
      if (numbers.size() < 3) return {};
      health.known = health.kinds_known = true;
      health.neg_inf = numbers[0] != 0;
      health.pos_inf = numbers[1] != 0;
      health.nan = numbers[2] != 0;
      health.bad = health.neg_inf || health.pos_inf || health.nan;
      return health;
    case TensorDebugMode::kUnspecified:
    case TensorDebugMode::kNoTensor:
    case TensorDebugMode::kShape:
    case TensorDebugMode::kFullTensor:
      return {};
  }
  std::unreachable();
}

}  // namespace stepscope
