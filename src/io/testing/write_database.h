#pragma once

#include <string>

namespace stepscope {

// Makes a SQLite database from SQL statements; a fault fails the test.
void WriteDatabase(const std::string& path, const std::string& sql);

}  // namespace stepscope
