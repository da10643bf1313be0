// CPU time of SQL and of Parquet on one trace, as a table.
//   query_times TRACE [PARQUET_FOLDER]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <string>

#include "link/linked_trace.h"
#include "query/database.h"
#include "query/table_export.h"
#include "study/study.h"

namespace stepscope {
namespace {

double CpuMs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class Counter : public query::RowTaker {
 public:
  void Columns(const std::vector<std::string>&) override {}
  bool Row(std::span<const query::Value> row) override {
    ++rows;
    if (row[0].type == query::Value::Type::kInteger) first = row[0].integer;
    return true;
  }
  uint64_t rows = 0;
  int64_t first = 0;
};

struct Question {
  std::string_view sql;
  double must_ms;
};
constexpr std::array kQuestions{
    Question{"SELECT name, sum(dur), count(*) FROM slice GROUP BY name ORDER BY 2 DESC LIMIT 20",
             350},
    Question{"SELECT name, sum(dur), count(*) FROM slice GROUP BY name_id ORDER BY 2 DESC LIMIT 20",
             150},
    Question{"SELECT track_id, count(*) FROM slice WHERE ts BETWEEN 1e9 AND 3e9 GROUP BY track_id",
             350},
    Question{"SELECT * FROM slice ORDER BY dur DESC LIMIT 100", 350},
    Question{"SELECT count(*), sum(dur) FROM slice WHERE name LIKE '%conv%'", 350},
    Question{"SELECT count(*), sum(dur) FROM slice", 350},
    Question{"SELECT category, count(*), sum(dur) FROM slice GROUP BY category", 350},
    Question{"SELECT count(*) FROM slice a JOIN slice b ON b.ts = a.ts WHERE a.id < 12000", 20},
    Question{"SELECT count(*) FROM kernel k JOIN slice s ON s.id = k.launch_slice_id", 350},
};

int Run(const std::string& path, const std::string& folder) {
  const Result<std::unique_ptr<Study>> study = Study::Open({path}, {});
  if (!study) {
    fmt::print(stderr, "{}\n", InEnglish(study.error().sentence));
    return 1;
  }
  (void)(*study)->linked(0);
  const query::QueryTables tables(**study);
  const auto database = *query::Database::Open(tables);
  const auto ask = [&](std::string_view sql) {
    Counter rows;
    const double began = CpuMs(CLOCK_THREAD_CPUTIME_ID);
    const auto outcome = database->Run(sql, {}, rows);
    if (!outcome) fmt::print(stderr, "{}: {}\n", sql, InEnglish(outcome.error().sentence));
    return CpuMs(CLOCK_THREAD_CPUTIME_ID) - began;
  };
  fmt::print(
      "{} slices\n\n| query | first, with its index: CPU ms | again | must |\n|---|---|---|---|\n",
      (*study)->trace(0).slices.size());
  for (const Question& question : kQuestions) {
    const double first = ask(question.sql);
    const double again = std::min(ask(question.sql), ask(question.sql));
    fmt::print("| `{}` | {:.1f} | {:.1f} | {} |\n", question.sql, first, again, question.must_ms);
  }
  if (folder.empty()) return 0;
  (void)(*study)->report(0);
  (void)(*study)->advice();
  TaskPool pool(1);
  // Rows are counted first: what tables show is then worked out.
  uint64_t rows = 0;
  for (const auto& table : tables.tables()) rows += table->size();
  rows = 0;
  const double began = CpuMs(CLOCK_PROCESS_CPUTIME_ID);
  const auto files = query::ExportTables(*database, {.tables = {}, .output = folder}, pool);
  const double took = CpuMs(CLOCK_PROCESS_CPUTIME_ID) - began;
  if (!files) return 1;
  uintmax_t bytes = 0;
  for (const query::ExportedFile& file : *files) {
    rows += file.rows;
    bytes += std::filesystem::file_size(file.path);
    if (file.rows > 10'000) {
      fmt::print("{}: {} rows, {:.1f} bytes a row\n", file.path, file.rows,
                 static_cast<double>(std::filesystem::file_size(file.path)) / file.rows);
    }
  }
  fmt::print("Parquet of all tables: {} rows in {:.0f} ms of CPU: {:.2f} M rows/s, {} bytes\n",
             rows, took, rows / took / 1e3, bytes);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return stepscope::Run(argv[1], argc > 2 ? argv[2] : "");
}
