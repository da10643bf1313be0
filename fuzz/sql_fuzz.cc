// Any text as SQL over a small profile, with the authorizer on: an answer or a fault inside of the
// text, within its limits, and nothing is written anywhere.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "base/testing/temp_dir.h"
#include "query/database.h"
#include "study/study.h"

namespace {

using namespace stepscope;

constexpr std::string_view kTrace = R"json({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0,
 "dur": 90},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 1, "tid": 1, "ts": 100,
 "dur": 90},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 20,
 "args": {"External id": 7, "Input Dims": [[2, 3], [3, 4]]}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12,
 "dur": 3, "args": {"External id": 7, "correlation": 9}},
{"ph": "X", "cat": "kernel", "name": "void gemm<float>(float*)", "pid": 0, "tid": 7, "ts": 20,
 "dur": 30, "args": {"External id": 7, "correlation": 9, "device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "copy \u00e9\u4e2d\u0001'\"", "pid": 0, "tid": 7, "ts": 120,
 "dur": 1.5, "args": {"device": 0, "stream": 7}},
{"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 11, "args": {"Device Type": 1,
 "Device Id": 0, "Bytes": 512, "Addr": 4096, "Total Allocated": 512}}
]})json";
constexpr uint64_t kMostRows = 1000;

class Counter : public query::RowTaker {
 public:
  void Columns(const std::vector<std::string>& names) override { columns_ = names.size(); }
  bool Row(std::span<const query::Value> row) override {
    if (row.size() != columns_) std::abort();
    for (const query::Value& value : row) {
      if (value.type == query::Value::Type::kInteger) sum_ += static_cast<uint64_t>(value.integer);
      for (const char c : value.text) sum_ += static_cast<unsigned char>(c);  // all of it is there
    }
    ++rows_;
    return true;
  }
  uint64_t rows() const { return rows_; }
  uint64_t sum() const { return sum_; }

 private:
  size_t columns_ = 0;
  uint64_t rows_ = 0, sum_ = 0;
};

struct Opened {
  Opened() {
    const std::string path = folder / "trace.json";
    std::ofstream(path) << kTrace;
    // A relative name in ATTACH or VACUUM INTO would land here.
    std::filesystem::current_path(std::filesystem::path(path).parent_path());
    Result<std::unique_ptr<Study>> made = Study::Open({path}, {.threads = 1});
    if (!made) std::abort();
    study = std::move(*made);
    tables = std::make_unique<query::QueryTables>(*study);
    Result<std::unique_ptr<query::Database>> connected = query::Database::Open(*tables);
    if (!connected) std::abort();
    watcher = std::move(*connected);
    before = Answer();
  }

  // What the tables hold, in one number.
  uint64_t Answer() const {
    Counter taken;
    if (!watcher->Run("SELECT * FROM slice", {}, taken)) std::abort();
    return taken.sum();
  }

  size_t Files() const {
    using Iterator = std::filesystem::directory_iterator;
    return static_cast<size_t>(std::distance(Iterator("."), Iterator()));
  }

  TempDir folder;
  std::unique_ptr<Study> study;
  std::unique_ptr<query::QueryTables> tables;
  std::unique_ptr<query::Database> watcher;  // opening one costs more than its question
  uint64_t before = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Opened opened;
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  Counter taken;
  {
    const auto database = query::Database::Open(*opened.tables);
    if (!database) std::abort();
    const query::QueryLimits limits{
        .rows = kMostRows, .time = std::chrono::seconds(1), .arguments = {"mm", "1"}};
    const auto outcome = (*database)->Run(sql, limits, taken);
    if (outcome && outcome->rows != taken.rows()) std::abort();
    if (!outcome && outcome.error().offset.value_or(0) > size) std::abort();
  }
  if (taken.rows() > kMostRows || opened.Files() != 1) std::abort();
  if (opened.Answer() != opened.before) std::abort();
  return 0;
}
