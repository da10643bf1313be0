// Writes an Nsight Systems export of any size: calls that launch kernels, ranges around them.
//
//   make_nsys FILE [ROWS]    ROWS: of all tables together, 5,000,000 by default

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void Run(sqlite3* database, const std::string& sql) {
  char* fault = nullptr;
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &fault) == SQLITE_OK) return;
  std::fprintf(stderr, "make_nsys: %s\n", fault);
  std::exit(1);
}

void Insert(sqlite3_stmt* statement, std::initializer_list<int64_t> values) {
  int at = 0;
  for (const int64_t value : values) sqlite3_bind_int64(statement, ++at, value);
  sqlite3_step(statement);
  sqlite3_reset(statement);
}

sqlite3_stmt* Prepare(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
  return statement;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_nsys FILE [ROWS]\n");
    return 2;
  }
  const int64_t rows = argc > 2 ? std::atoll(argv[2]) : 5'000'000;
  std::remove(argv[1]);
  sqlite3* database = nullptr;
  if (sqlite3_open(argv[1], &database) != SQLITE_OK) return 1;
  constexpr int64_t kPid = (int64_t{1} << 56) | (int64_t{4242} << 24);
  Run(database,
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
      "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
      "INSERT INTO META_DATA_EXPORT VALUES('EXPORT_SCHEMA_VERSION','3.25.0');"
      "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,"
      " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
      " demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER,"
      " gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
      " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER,"
      " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
      "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER,"
      " text TEXT, textId INTEGER, domainId INTEGER);");
  constexpr int64_t kNames = 200;
  for (int64_t i = 0; i < kNames; ++i) {
    Run(database,
        fmt::format("INSERT INTO StringIds VALUES({0}, 'void kernel_{0}<float>(int)')", i));
  }
  constexpr int64_t kLaunch = 1000, kOp = 1001, kStep = 1002;
  Run(database,
      "INSERT INTO StringIds VALUES(1000,'cudaLaunchKernel_v7000'),(1001,'layer'),(1002,'step')");
  sqlite3_stmt* const kernel = Prepare(database,
                                       "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
                                       "(?,?,0,1,7,?,?,?,?,64,?,1,1,256,1,1,0,1024,NULL)");
  sqlite3_stmt* const call =
      Prepare(database, "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?,?,0,?,?,?,0)");
  sqlite3_stmt* const range =
      Prepare(database, "INSERT INTO NVTX_EVENTS VALUES(?,?,59,?,NULL,?,0)");
  // Ten launches of 5 µs a range, a hundred ranges a step.
  constexpr int64_t kPerRange = 10, kRangesPerStep = 100, kEach = 5'000;
  int64_t written = 0;
  for (int64_t launch = 0; written < rows; ++launch) {
    const int64_t at = launch * kEach;
    Insert(call, {at, at + 3'000, kPid + 1, launch + 1, kLaunch});
    const int64_t name = (launch * 7) % kNames;
    Insert(kernel, {at + 4'000, at + 8'500, launch + 1, kPid, name, name, 1 + launch % 512});
    written += 2;
    if (launch % kPerRange == 0) {
      Insert(range, {at, at + kPerRange * kEach - 100, kPid + 1, kOp});
      ++written;
    }
    if (launch % (kPerRange * kRangesPerStep) == 0) {
      Insert(range, {at - 10, at + kPerRange * kRangesPerStep * kEach - 20, kPid + 1, kStep});
      ++written;
    }
  }
  sqlite3_finalize(kernel);
  sqlite3_finalize(call);
  sqlite3_finalize(range);
  Run(database, "COMMIT");
  sqlite3_close(database);
  return 0;
}
