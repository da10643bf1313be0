// SQL over profiles: answers by hand-written loops over the trace, indexes against scans.
#include "query/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "analyze/report.h"
#include "base/testing/data.h"
#include "link/linked_trace.h"
#include "query/describe.h"
#include "query/library.h"
#include "query/sql_words.h"
#include "query/views.h"
#include "study/study.h"

namespace stepscope::query {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Texts : public RowTaker {
 public:
  void Columns(const std::vector<std::string>& names) override { columns = names; }
  bool Row(std::span<const Value> row) override {
    std::vector<std::string>& line = rows.emplace_back();
    for (const Value& value : row) {
      line.push_back(value.type == Value::Type::kNull      ? "NULL"
                     : value.type == Value::Type::kInteger ? std::to_string(value.integer)
                     : value.type == Value::Type::kReal    ? fmt::format("{}", value.real)
                                                           : std::string(value.text));
    }
    return true;
  }
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

class Opened {
 public:
  explicit Opened(const std::vector<std::string>& paths) {
    study = *Study::Open(paths, {.threads = 1});
    tables = std::make_unique<QueryTables>(*study);
    database = *Database::Open(*tables);
  }
  std::vector<std::vector<std::string>> Rows(std::string_view sql) {
    Texts taken;
    const SqlResult<QueryOutcome> outcome = database->Run(sql, {}, taken);
    EXPECT_TRUE(outcome) << sql << ": " << (outcome ? "" : InEnglish(outcome.error().sentence));
    return taken.rows;
  }
  std::string One(std::string_view sql) {
    const std::vector<std::vector<std::string>> rows = Rows(sql);
    return rows.empty() ? "" : rows[0][0];
  }
  SqlFault Fault(std::string_view sql, const QueryLimits& limits = {}) {
    Texts taken;
    const SqlResult<QueryOutcome> outcome = database->Run(sql, limits, taken);
    EXPECT_FALSE(outcome) << sql;
    return outcome ? SqlFault{} : outcome.error();
  }
  // What EXPLAIN QUERY PLAN says, one line a table.
  std::string Plan(std::string_view sql) {
    std::string plan;
    for (const auto& row : Rows("EXPLAIN QUERY PLAN " + std::string(sql))) plan += row[3] + "\n";
    return plan;
  }

  std::unique_ptr<Study> study;
  std::unique_ptr<QueryTables> tables;
  std::unique_ptr<Database> database;
};

Opened& Resnet() {
  static Opened opened({Example("resnet50_inputbound.pt.trace.json.gz")});
  return opened;
}
Opened& TwoProfiles() {
  static Opened opened(
      {Example("streams_overlap.pt.trace.json.gz"), Example("nograph_infer.pt.trace.json.gz")});
  return opened;
}

// SQLite ends a text at a zero byte.
TEST(Query, AZeroByteIsAFault) {
  const std::string_view cut("SELECT 1;\0SELECT 2", 18), first("\0SELECT 1", 9);
  EXPECT_EQ(Resnet().Fault(cut).offset, 9u);
  EXPECT_EQ(Resnet().Fault(first).offset, 0u);
}

TEST(Query, EverySliceIsThereOnce) {
  Opened& opened = Resnet();
  const Slices& slices = opened.study->trace(0).slices;
  int64_t sum = 0;
  for (const DurationNs duration : slices.duration) sum += duration.ns;
  EXPECT_EQ(opened.One("SELECT count(*) FROM slice"), std::to_string(slices.size()));
  EXPECT_EQ(opened.One("SELECT sum(dur) FROM slice"), std::to_string(sum));
}

TEST(Query, KernelsAreThoseOfTheReport) {
  Opened& opened = Resnet();
  uint64_t calls = 0;
  int64_t total = 0;
  for (const KernelRow& row : opened.study->report(0).kernels) {
    calls += row.calls;
    total += row.total.ns;
  }
  EXPECT_EQ(opened.One("SELECT count(*) FROM kernel"), std::to_string(calls));
  EXPECT_EQ(opened.One("SELECT sum(dur) FROM kernel"), std::to_string(total));
  EXPECT_EQ(opened.One("SELECT sum(total_ns) FROM kernels"), std::to_string(total));
}

TEST(Query, GroupsAgreeWithALoop) {
  Opened& opened = Resnet();
  const Trace& trace = opened.study->trace(0);
  std::map<std::string, std::pair<int64_t, int64_t>> by_name;
  for (uint32_t i = 0; i < trace.slices.size(); ++i) {
    auto& [count, sum] = by_name[std::string(trace.strings[trace.slices.name[i]])];
    ++count;
    sum += trace.slices.duration[i].ns;
  }
  for (const char* sql : {"SELECT name, count(*), sum(dur) FROM slice GROUP BY name",
                          "SELECT name, count(*), sum(dur) FROM slice GROUP BY name_id",
                          "SELECT name, count(*), sum(dur) FROM slice GROUP BY +name"}) {
    const auto rows = opened.Rows(sql);
    EXPECT_EQ(rows.size(), by_name.size()) << sql;
    for (const auto& row : rows) {
      EXPECT_EQ(row[1], std::to_string(by_name[row[0]].first)) << sql << row[0];
      EXPECT_EQ(row[2], std::to_string(by_name[row[0]].second)) << sql << row[0];
    }
  }
}

// A plus before a column keeps SQLite from handing the condition to us: it scans and tests itself.
TEST(Query, IndexesAgreeWithScans) {
  Opened& opened = TwoProfiles();
  std::mt19937 random(7);
  for (const std::unique_ptr<SqlTable>& table : opened.tables->tables()) {
    if (table->size() == 0) continue;
    for (const SqlColumn& column : table->columns()) {
      const std::string name = fmt::format("\"{}\"", column.name);
      for (int i = 0; i < 3; ++i) {
        const uint32_t row = static_cast<uint32_t>(random() % table->size());
        const std::string value =
            fmt::format("(SELECT {} FROM \"{}\" WHERE rowid = {})", name, table->name(), row);
        for (const char* op : {"=", "<=", ">", "<", "LIKE", "IS NULL OR 0 ="}) {
          const auto ask = [&](const char* plus) {
            return fmt::format("SELECT count(*), sum(rowid) FROM \"{}\" WHERE {}{} {} {}",
                               table->name(), plus, name, op, value);
          };
          EXPECT_EQ(opened.Rows(ask("")), opened.Rows(ask("+"))) << ask("");
        }
      }
      const auto order = [&](const char* plus, const char* way) {
        return fmt::format("SELECT {1} FROM \"{2}\" ORDER BY {0}{1} {3}", plus, name, table->name(),
                           way);
      };
      EXPECT_EQ(opened.Rows(order("", "")), opened.Rows(order("+", ""))) << order("", "");
      EXPECT_EQ(opened.Rows(order("", "DESC")), opened.Rows(order("+", "DESC")));
      for (const char* way : {"", "DESC"}) {
        const auto group = [&](const char* plus) {
          return fmt::format(
              "SELECT {1}, count(*) FROM \"{2}\" GROUP BY {0}{1} ORDER BY {0}{1} {3}", plus, name,
              table->name(), way);
        };
        EXPECT_EQ(opened.Rows(group("")), opened.Rows(group("+"))) << group("");
      }
      EXPECT_EQ(opened.Rows(fmt::format("SELECT count(*) FROM (SELECT DISTINCT {} FROM \"{}\")",
                                        name, table->name())),
                opened.Rows(fmt::format("SELECT count(*) FROM (SELECT DISTINCT +{} FROM \"{}\")",
                                        name, table->name())));
    }
  }
}

// Every pair of a table and a join key: the inner table is found by an index, never scanned.
TEST(Query, NoJoinScansTheInnerTable) {
  Opened& opened = Resnet();
  int pairs = 0;
  for (const std::unique_ptr<SqlTable>& table : opened.tables->tables()) {
    for (const SqlColumn& column : table->columns()) {
      if (column.declared == nullptr || column.declared->joins.empty()) continue;
      const std::string_view joins = column.declared->joins;
      const std::string_view target = joins.substr(0, joins.find('.'));
      // Arguments come from the file; of a table of one row all of it is the answer.
      if (target == "args" || opened.tables->Find(target)->size() <= 1) continue;
      const std::string key(joins.substr(joins.find('.') + 1));
      const std::string there =
          opened.Plan(fmt::format("SELECT count(*) FROM \"{}\" a CROSS JOIN {} b ON b.{} = a.{}",
                                  table->name(), target, key, column.name));
      const std::string back =
          opened.Plan(fmt::format("SELECT count(*) FROM {} b CROSS JOIN \"{}\" a ON a.{} = b.{}",
                                  target, table->name(), column.name, key));
      EXPECT_THAT(there, HasSubstr(fmt::format("by {}", key))) << joins << " of " << table->name();
      if (table->size() <= 1) continue;
      EXPECT_THAT(back, HasSubstr(fmt::format("by {}", column.name)))
          << table->name() << " from " << joins;
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 25);
}

TEST(Query, ProfilesStayApart) {
  Opened& opened = TwoProfiles();
  EXPECT_EQ(opened.One("SELECT count(*) FROM trace"), "2");
  for (size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(opened.One(fmt::format("SELECT count(*) FROM slice WHERE trace_id = {}", t)),
              std::to_string(opened.study->trace(t).slices.size()));
  }
  EXPECT_EQ(opened.One("SELECT count(*) FROM slice s JOIN track t ON t.id = s.track_id "
                       "WHERE t.trace_id != s.trace_id"),
            "0");
  EXPECT_EQ(opened.One("SELECT count(*) FROM kernel k JOIN slice s ON s.id = k.slice_id "
                       "WHERE s.name = k.name AND s.dur = k.dur AND s.trace_id = k.trace_id"),
            opened.One("SELECT count(*) FROM kernel"));
}

TEST(Query, Functions) {
  Opened& opened = Resnet();
  const std::string numbers =
      "(SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 4 UNION ALL "
      "SELECT 10 UNION ALL SELECT NULL)";
  // numpy.percentile([1, 2, 4, 10], 95) = 9.1, numpy.std(ddof=1) = 4.031128874149275
  EXPECT_EQ(opened.One("SELECT median(x) FROM " + numbers), "3");
  EXPECT_NEAR(std::stod(opened.One("SELECT percentile(x, 95) FROM " + numbers)), 9.1, 1e-12);
  EXPECT_EQ(opened.One("SELECT quantile(x, 0.25) FROM " + numbers), "1.75");
  EXPECT_EQ(opened.One("SELECT stddev(x) FROM " + numbers), "4.031128874149275");
  EXPECT_EQ(opened.One("SELECT median(x) FROM (SELECT 1 AS x WHERE 0)"), "NULL");
  // [0, 10) [5, 15) [20, 21): 15 + 1
  EXPECT_EQ(opened.One("SELECT union_dur(ts, dur) FROM (SELECT 0 AS ts, 10 AS dur UNION ALL "
                       "SELECT 5, 10 UNION ALL SELECT 20, 1 UNION ALL SELECT 30, 0)"),
            "16");
  EXPECT_EQ(opened.One("SELECT 'aten::mm' REGEXP '^aten::(mm|bmm)$'"), "1");
  EXPECT_EQ(opened.One("SELECT ms(1500000)"), "1.5");
  EXPECT_EQ(opened.Rows("SELECT median(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM " + numbers +
                        " WHERE x IS NOT NULL"),
            (std::vector<std::vector<std::string>>{{"1"}, {"1.5"}, {"3"}, {"7"}}));
  EXPECT_THAT(InEnglish(opened.Fault("SELECT percentile(1, 101)").sentence), HasSubstr("0 to 100"));
  EXPECT_THAT(InEnglish(opened.Fault("SELECT 'x' REGEXP '('").sentence), HasSubstr("regexp"));
}

TEST(Query, OnlyReads) {
  Opened& opened = Resnet();
  for (const char* sql :
       {"ATTACH ':memory:' AS x", "PRAGMA writable_schema = 1", "CREATE TABLE t(x)",
        "CREATE VIEW v AS SELECT 1", "INSERT INTO slice(id) VALUES (1)", "DELETE FROM slice",
        "UPDATE slice SET dur = 0", "DROP VIEW slices", "SELECT load_extension('x')",
        "VACUUM INTO '/nowhere/x.db'", "CREATE VIRTUAL TABLE t USING dbstat", "BEGIN",
        "INSERT INTO sqlite_master VALUES (1, 2, 3, 4, 5)", "ALTER TABLE slice RENAME TO s",
        "CREATE TRIGGER t AFTER INSERT ON slice BEGIN SELECT 1; END", "DETACH main", "ANALYZE"}) {
    EXPECT_EQ(opened.Fault(sql).code, ErrorCode::kUsage) << sql;
  }
  EXPECT_EQ(opened.One("CREATE TEMP TABLE kept AS SELECT dur FROM slice LIMIT 3; "
                       "SELECT count(*) FROM kept"),
            "3");
  EXPECT_EQ(opened.One("CREATE TEMP VIEW long AS SELECT * FROM slice WHERE dur > 1000; "
                       "SELECT count(*) > 0 FROM long"),
            "1");
}

TEST(Query, NamesTheNearest) {
  Opened& opened = Resnet();
  const SqlFault table = opened.Fault("SELECT * FROM slce");
  EXPECT_EQ(InEnglish(table.next_step), "did you mean slice?");
  const SqlFault column = opened.Fault("SELECT name,\n  durr FROM slice");
  EXPECT_EQ(InEnglish(column.next_step), "did you mean dur?");
  ASSERT_TRUE(column.offset);
  EXPECT_EQ(CaretAt("SELECT name,\n  durr FROM slice", *column.offset, 80),
            "    durr FROM slice\n    ^\n");
  EXPECT_EQ(InEnglish(opened.Fault("SELECT medain(dur) FROM slice").next_step),
            "did you mean median()?");
  EXPECT_THAT(InEnglish(opened.Fault("SELECT 1; SELECT 2").sentence), HasSubstr("only the last"));
  EXPECT_THAT(InEnglish(opened.Fault("  -- nothing").sentence), HasSubstr("empty"));
}

TEST(Query, EndsInTime) {
  Opened& opened = Resnet();
  const std::string endless =
      "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r";
  EXPECT_EQ(opened.Fault(endless, {.time = std::chrono::milliseconds(50)}).code,
            ErrorCode::kCannotRead);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(opened.Fault(endless, {.stop = stop.get_token()}).code, ErrorCode::kInterrupted);
}

TEST(Query, ArgumentsComeFromTheFile) {
  Opened& opened = Resnet();
  EXPECT_EQ(opened.One("SELECT count(*) FROM (SELECT * FROM kernel LIMIT 5) k JOIN args a ON "
                       "a.arg_set_id = k.slice_id WHERE a.key = 'args.stream' AND "
                       "a.int_value = k.stream"),
            "5");
  EXPECT_EQ(
      opened.One("SELECT min(extract_arg(slice_id, 'correlation') = correlation) FROM kernel"),
      "1");
  EXPECT_THAT(InEnglish(opened.Fault("SELECT * FROM args").sentence), HasSubstr("arg_set_id"));
}

TEST(Query, ViewsAndReadyQuestionsRun) {
  for (Opened* opened : {&Resnet(), &TwoProfiles()}) {
    for (const View& view : Views()) {
      opened->Rows(fmt::format("SELECT * FROM \"{}\" LIMIT 5", view.name));
      EXPECT_THAT(opened->database->ColumnNames(view.name), Not(IsEmpty())) << view.name;
    }
    for (const SavedQuery& saved : Library()) {
      opened->Rows(saved.file);
      EXPECT_FALSE(saved.meaning.en.empty() || saved.meaning.zh.empty()) << saved.name;
      EXPECT_TRUE(saved.usage.starts_with(saved.name)) << saved.name;
    }
  }
}

// Statements of Perfetto's documentation (PerfettoSQL: getting started; slices).
TEST(Query, PerfettosExamplesRunUnchanged) {
  Opened& opened = Resnet();
  for (const char* sql :
       {"SELECT ts, dur, name FROM slice",
        "SELECT thread.name AS thread_name, thread.tid FROM thread LIMIT 10",
        "SELECT slice.name, slice.ts, slice.dur, thread.name AS thread_name FROM slice "
        "JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid)",
        "INCLUDE PERFETTO MODULE slices.with_context;\nSELECT thread_name, name, ts, dur "
        "FROM thread_slice WHERE process_name GLOB '*python*' LIMIT 10",
        "SELECT name, COUNT(*) AS count, SUM(dur) AS dur_sum FROM slice GROUP BY name "
        "ORDER BY dur_sum DESC LIMIT 10",
        "SELECT EXTRACT_ARG(arg_set_id, 'args.stream') FROM slice WHERE category = 'kernel' "
        "LIMIT 2"}) {
    EXPECT_THAT(opened.Rows(sql), Not(IsEmpty())) << sql;
  }
  EXPECT_THAT(
      InEnglish(
          opened.Fault("INCLUDE PERFETTO MODULE android.startup.startups; SELECT 1").sentence),
      HasSubstr("slices.with_context"));
  EXPECT_THAT(InEnglish(opened.Fault("CREATE PERFETTO TABLE t AS SELECT 1").next_step),
              HasSubstr("CREATE TEMP TABLE"));
}

TEST(Query, SaysWhatAProfileLacks) {
  Texts taken;
  const SqlResult<QueryOutcome> outcome = Resnet().database->Run("SELECT * FROM hlo", {}, taken);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->empty_tables, std::vector<std::string>{"hlo"});
  EXPECT_THAT(Render(WhyEmpty("hlo"), Language::kEnglish), HasSubstr("XPlane"));
}

// Random pieces of SQL: refused or answered, never a crash, never a write.
TEST(Query, NonsenseIsAnswered) {
  Opened& opened = TwoProfiles();
  const std::vector<std::string> pieces{
      "SELECT",   "*",     "FROM",   "slice",  "kernel", "WHERE",  "id",    "=",
      "track_id", "name",  "LIKE",   "'%a%'",  "(",      ")",      ",",     "ORDER BY",
      "GROUP BY", "ts",    "DESC",   "LIMIT",  "3",      "JOIN",   "ON",    "step",
      "NULL",     "count", "median", "ATTACH", "DELETE", "PRAGMA", "args",  "union_dur",
      "-1",       "IN",    "NOT",    "dur",    ">",      "1e300",  "x'00'", "CASE",
      "WHEN",     "END",   "AS",     "a",      ".",      ";"};
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::string sql = random() % 2 == 0 ? "SELECT " : "";
    const size_t words = random() % 12;
    for (size_t w = 0; w < words; ++w) sql += pieces[random() % pieces.size()] + " ";
    Texts taken;
    (void)opened.database->Run(sql, {.rows = 20, .time = std::chrono::milliseconds(200)}, taken);
  }
  EXPECT_EQ(opened.One("SELECT count(*) FROM trace"), "2");
}

}  // namespace
}  // namespace stepscope::query
