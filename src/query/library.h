#pragma once

#include <span>
#include <string_view>

#include "tables/column.h"

namespace stepscope::query {

// A question that comes with the program: a file of query/library. Its first lines are comments:
// what it answers in English and in Chinese, and how it is called.
struct SavedQuery {
  std::string_view name;
  std::string_view file;  // all of it
  tables::Words meaning = {};
  std::string_view usage = {};  // "shapes-of OP"
};

// By name.
std::span<const SavedQuery> Library();
const SavedQuery* FindSaved(std::string_view name);

}  // namespace stepscope::query
