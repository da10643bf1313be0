#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "read/protobuf/wire.h"

namespace stepscope {

// The numbers of a repeated field, which writers pack or not. A field is what a WireReader is at.
template <typename Field, std::integral Number>
void AppendVarints(const Field& field, std::vector<Number>& into) {
  if (field.type() != WireType::kLength) {
    into.push_back(static_cast<Number>(field.Unsigned()));
    return;
  }
  uint64_t value = 0;
  int shift = 0;
  for (const char c : field.Bytes()) {
    if (shift < 64) value |= static_cast<uint64_t>(c & 0x7f) << shift;
    shift += 7;
    if ((c & 0x80) != 0) continue;
    into.push_back(static_cast<Number>(value));
    value = 0;
    shift = 0;
  }
}

}  // namespace stepscope
