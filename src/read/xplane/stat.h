#pragma once

#include <cstdint>
#include <string_view>

#include "read/protobuf/cursor.h"

namespace stepscope::xplane {

// One XStat as it stands in the file; texts point into the file.
struct StatValue {
  enum class Type : uint8_t { kNone, kDouble, kUnsigned, kSigned, kText, kBytes, kReference };
  Type type = Type::kNone;
  uint64_t bits = 0;  // of the number, or the id that a reference names
  std::string_view text;

  // As a whole number: doubles are cut, decimal texts are read (old writers spell numbers as text),
  // all else is `otherwise`.
  int64_t Integer(int64_t otherwise) const;
  double Number(double otherwise) const;
};

struct Stat {
  uint64_t metadata_id = 0;
  StatValue value;
};

// Reads the XStat in `bytes`. False when it is malformed.
bool ReadStat(std::string_view bytes, Stat& stat);

}  // namespace stepscope::xplane
