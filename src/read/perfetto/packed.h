#pragma once

#include <cstdint>
#include <vector>

#include "read/protobuf/wire.h"

namespace stepscope::perfetto {

// The numbers of a repeated field, which writers pack or not.
inline void AppendVarints(const WireReader& field, std::vector<uint64_t>& into) {
  if (field.type() != WireType::kLength) {
    into.push_back(field.Unsigned());
    return;
  }
  uint64_t value = 0;
  int shift = 0;
  for (const char c : field.Bytes()) {
    if (shift < 64) value |= static_cast<uint64_t>(c & 0x7f) << shift;
    shift += 7;
    if ((c & 0x80) != 0) continue;
    into.push_back(value);
    value = 0;
    shift = 0;
  }
}

}  // namespace stepscope::perfetto
