#pragma once

#include <set>
#include <string>
#include <string_view>

namespace stepscope::query {

// What was refused, where it has no word of SQL.
inline constexpr std::string_view kSomeFunction = "this function";
inline constexpr std::string_view kSomeStatement = "this statement";

// What statements may do: read, call functions, and keep temporary tables and views. It notes which
// tables were read and what was refused last.
struct Authorizer {
  std::set<std::string> read;
  std::string refused;  // "ATTACH", empty: nothing
};

// SQLite's callback; the context is an Authorizer.
int Authorize(void* context, int action, const char* first, const char* second,
              const char* database, const char* trigger);

}  // namespace stepscope::query
