#include <array>
#include <string_view>

#include "read/graph_def/graph_def.h"

namespace stepscope {
namespace {

struct TypeRow {
  std::string_view name;
  std::string_view reference_name;
  int64_t bytes;
};

// By number.
constexpr std::array<TypeRow, 33> kTypes{{
    {"invalid", "invalid_ref", 0},
    {"float32", "float32_ref", 4},
    {"float64", "float64_ref", 8},
    {"int32", "int32_ref", 4},
    {"uint8", "uint8_ref", 1},
    {"int16", "int16_ref", 2},
    {"int8", "int8_ref", 1},
    {"string", "string_ref", 0},
    {"complex64", "complex64_ref", 8},
    {"int64", "int64_ref", 8},
    {"bool", "bool_ref", 1},
    {"qint8", "qint8_ref", 1},
    {"quint8", "quint8_ref", 1},
    {"qint32", "qint32_ref", 4},
    {"bfloat16", "bfloat16_ref", 2},
    {"qint16", "qint16_ref", 2},
    {"quint16", "quint16_ref", 2},
    {"uint16", "uint16_ref", 2},
    {"complex128", "complex128_ref", 16},
    {"float16", "float16_ref", 2},
    {"resource", "resource_ref", 0},
    {"variant", "variant_ref", 0},
    {"uint32", "uint32_ref", 4},
    {"uint64", "uint64_ref", 8},
    {"float8_e5m2", "float8_e5m2_ref", 1},
    {"float8_e4m3fn", "float8_e4m3fn_ref", 1},
    {"float8_e4m3fnuz", "float8_e4m3fnuz_ref", 1},
    {"float8_e4m3b11fnuz", "float8_e4m3b11fnuz_ref", 1},
    {"float8_e5m2fnuz", "float8_e5m2fnuz_ref", 1},
    {"int4", "int4_ref", 0},
    {"uint4", "uint4_ref", 0},
    {"int2", "int2_ref", 0},
    {"uint2", "uint2_ref", 0},
}};
constexpr int32_t kReferenceOffset = 100;

}  // namespace

std::string_view NameOf(DataType type) {
  const auto number = static_cast<int32_t>(type);
  const bool reference = number >= kReferenceOffset;
  const auto row = static_cast<size_t>(reference ? number - kReferenceOffset : number);
  if (number < 0 || row >= kTypes.size()) return "unknown";
  return reference ? kTypes[row].reference_name : kTypes[row].name;
}

int64_t SizeOf(DataType type) {
  const auto number = static_cast<int32_t>(type);
  const auto row =
      static_cast<size_t>(number >= kReferenceOffset ? number - kReferenceOffset : number);
  return number < 0 || row >= kTypes.size() ? 0 : kTypes[row].bytes;
}

}  // namespace stepscope
