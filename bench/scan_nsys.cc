// Reads the columns of an Nsight Systems export that Stepscope reads, once, with sqlite3 alone:
// what the time of a report is compared with.
//
//   scan_nsys FILE

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstdio>

namespace {

constexpr std::array kQuestions = {
    "SELECT start, end, deviceId, streamId, correlationId, globalPid, graphNodeId, demangledName,"
    " shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,"
    " staticSharedMemory, dynamicSharedMemory FROM CUPTI_ACTIVITY_KIND_KERNEL",
    "SELECT start, end, globalTid, nameId, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME",
    "SELECT start, end, eventType, globalTid, text, textId FROM NVTX_EVENTS",
    "SELECT id, value FROM StringIds",
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: scan_nsys FILE\n");
    return 2;
  }
  sqlite3* database = nullptr;
  if (sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) return 1;
  uint64_t rows = 0, sum = 0;
  for (const char* question : kQuestions) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, question, -1, &statement, nullptr) != SQLITE_OK) return 1;
    const int columns = sqlite3_column_count(statement);
    for (; sqlite3_step(statement) == SQLITE_ROW; ++rows) {
      for (int i = 0; i < columns; ++i) {
        sum += static_cast<uint64_t>(sqlite3_column_int64(statement, i));
      }
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(database);
  std::printf("%llu rows, sum %llu\n", static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(sum));
  return 0;
}
