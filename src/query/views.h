#pragma once

#include <span>
#include <string_view>

#include "tables/column.h"

namespace stepscope::query {

// A question under a name: other tools' tables over ours.
struct View {
  std::string_view name;
  tables::Words meaning;
  std::string_view select;
};
std::span<const View> Views();

}  // namespace stepscope::query
