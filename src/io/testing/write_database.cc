#include "io/testing/write_database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace stepscope {

void WriteDatabase(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* fault = nullptr;
  sqlite3_exec(database, ("BEGIN;" + sql + ";COMMIT").c_str(), nullptr, nullptr, &fault);
  EXPECT_EQ(fault, nullptr) << fault;
  sqlite3_free(fault);
  sqlite3_close(database);
}

}  // namespace stepscope
