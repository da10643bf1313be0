#pragma once

#include <cstddef>

#include "present/style.h"

namespace stepscope {

// How much the text of a report shows, and how.
struct TextOptions {
  Style style;
  size_t top = 8;    // rows per table
  bool all = false;  // every row, every device, every step
};

}  // namespace stepscope
