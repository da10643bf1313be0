#include "fleet/analyze.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "fleet/content_id.h"
#include "fleet/fleet_tables.h"
#include "fleet/rows_of_file.h"

namespace stepscope::fleet {
namespace {

namespace fs = std::filesystem;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void Write(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

// The lines of a table over all batches, sorted.
std::vector<std::string> Lines(const std::string& directory, const std::string& table) {
  std::vector<std::string> lines;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (!entry.path().filename().string().starts_with(table + "-")) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  std::ranges::sort(lines);
  return lines;
}

std::vector<JsonValue> Rows(const std::string& directory, const std::string& table) {
  std::vector<JsonValue> rows;
  for (const std::string& line : Lines(directory, table)) rows.push_back(*ParseJson(line));
  return rows;
}

std::vector<ListedPath> ListOf(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + "\n";
  return *ParsePathList(text, "list");
}

AnalyzeOptions OptionsFor(const std::string& directory, unsigned workers = 2) {
  AnalyzeOptions options;
  options.directory = directory;
  options.format = Format::kJsonl;
  options.limits.workers = workers;
  return options;
}

Counts ReadAll(const std::vector<std::string>& paths, const AnalyzeOptions& options) {
  const Result<Counts> counts = AnalyzeFleet(ListOf(paths), options, {}, [](const Counts&) {});
  EXPECT_TRUE(counts) << InEnglish(counts.error().sentence);
  return counts.value_or(Counts{});
}

// A good profile, its copy, a cut one, an empty one, one that is none and one that is not there.
class FleetFiles {
 public:
  FleetFiles() {
    const std::string good = Content(Example("nograph_infer.pt.trace.json.gz"));
    Write(folder / "good.json.gz", good);
    Write(folder / "copy.json.gz", good);
    Write(folder / "cut.json.gz", good.substr(0, good.size() / 2));
    Write(folder / "empty.json", "");
    Write(folder / "none.txt", "no profile at all\n");
    for (const char* name : {"good.json.gz", "copy.json.gz", "cut.json.gz", "empty.json",
                             "none.txt", "missing.json"}) {
      paths.push_back(folder / name);
    }
  }
  TempDir folder;
  std::vector<std::string> paths;
};

TEST(AnalyzeFleet, EveryPathHasOneRow) {
  const FleetFiles files;
  const TempDir out;
  const Counts counts = ReadAll(files.paths, OptionsFor(out.path()));
  EXPECT_EQ(counts.done, 6u);
  EXPECT_EQ(counts.ok, 2u);
  EXPECT_EQ(counts.partial, 1u);
  EXPECT_EQ(counts.failed, 3u);
  std::map<std::string, JsonValue> rows;
  for (const JsonValue& row : Rows(out.path(), "profiles")) {
    rows[fs::path(row["path"].text()).filename()] = row;
  }
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows["good.json.gz"]["status"].text(), "ok");
  EXPECT_EQ(rows["good.json.gz"]["profile_id"].text(), rows["copy.json.gz"]["profile_id"].text());
  EXPECT_EQ(rows["cut.json.gz"]["status"].text(), "partial");
  for (const char* name : {"empty.json", "none.txt", "missing.json"}) {
    EXPECT_EQ(rows[name]["status"].text(), "failed") << name;
    EXPECT_FALSE(rows[name]["error"].text().empty()) << name;
    EXPECT_FALSE(rows[name]["error_code"].text().empty()) << name;
  }
  EXPECT_TRUE(rows["missing.json"]["profile_id"].is_null());
  // Published: XXH3-128 of nothing.
  EXPECT_EQ(rows["empty.json"]["profile_id"].text(), "99aa06d3014798d86001c324468d497f");
  const JsonValue& good = rows["good.json.gz"];
  int64_t parts = 0;
  for (const char* part : {"compute_ns", "exposed_communication_ns", "exposed_copy_ns",
                           "exposed_memset_ns", "idle_ns"}) {
    parts += good[part].AsInt();
  }
  EXPECT_EQ(parts, good["window_ns"].AsInt());
}

TEST(AnalyzeFleet, WritesTheSameAtAnyNumberOfWorkersAndBatches) {
  const FleetFiles files;
  const TempDir one, two, loop;
  ReadAll(files.paths, OptionsFor(one.path(), 1));
  AnalyzeOptions small = OptionsFor(two.path(), 3);
  small.batch = 2;
  ReadAll(files.paths, small);
  for (const std::string& path : files.paths) ReadAll({path}, OptionsFor(loop.path()));
  for (const Table& table : kTables) {
    const std::string name(table.name);
    EXPECT_EQ(Lines(one.path(), name), Lines(two.path(), name)) << name;
    EXPECT_EQ(Lines(one.path(), name), Lines(loop.path(), name)) << name;
  }
}

TEST(AnalyzeFleet, ReadsOnlyWhatIsNewOrChanged) {
  const FleetFiles files;
  const TempDir out;
  AnalyzeOptions options = OptionsFor(out.path());
  ReadAll({files.paths[0], files.paths[3]}, options);
  const Counts second = ReadAll(files.paths, options);
  EXPECT_EQ(second.skipped, 2u);
  EXPECT_EQ(second.done, 4u);
  EXPECT_EQ(Rows(out.path(), "profiles").size(), 6u);
  EXPECT_EQ(ReadAll(files.paths, options).done, 0u);
  Write(files.paths[3], "{}");  // longer than before
  EXPECT_EQ(ReadAll(files.paths, options).done, 1u);
  EXPECT_EQ(ReadAll(files.paths, options).done, 0u);
  options.again = Again::kFailed;
  EXPECT_EQ(ReadAll(files.paths, options).done, 3u);
}

TEST(AnalyzeFleet, ABatchWithoutManifestIsReadAgain) {
  const FleetFiles files;
  const TempDir out;
  const AnalyzeOptions options = OptionsFor(out.path());
  ReadAll(files.paths, options);
  const std::vector<std::string> before = Lines(out.path(), "profiles");
  for (const fs::directory_entry& entry : fs::directory_iterator(out.path())) {
    if (entry.path().filename().string().starts_with("_manifest")) fs::remove(entry.path());
  }
  EXPECT_EQ(ReadAll(files.paths, options).done, 6u);
  EXPECT_EQ(Lines(out.path(), "profiles"), before);
}

TEST(AnalyzeFleet, AFileThatTakesTooLongIsARow) {
  const FleetFiles files;
  const TempDir out;
  const std::string pipe = files.folder / "pipe.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);  // nobody ever writes to it
  AnalyzeOptions options = OptionsFor(out.path(), 1);
  options.limits.time_per_file = {5'000'000'000};
  const Counts counts = ReadAll({pipe, files.paths[0]}, options);
  EXPECT_EQ(counts.failed, 1u);
  EXPECT_EQ(counts.ok, 1u);
  std::vector<std::string> codes;
  for (const JsonValue& row : Rows(out.path(), "profiles")) {
    if (!row["error_code"].is_null()) codes.push_back(row["error_code"].text());
  }
  EXPECT_EQ(codes, std::vector<std::string>{"timeout"});
}

TEST(RowsOfFile, DaysAreUtc) {
  EXPECT_EQ(DayOf(0), "1970-01-01");
  EXPECT_EQ(DayOf(1'790'857'026'000'000'000), "2026-10-01");
  EXPECT_EQ(DayOf(1'793'491'199'999'999'999), "2026-10-31");
}

TEST(ContentId, FoldersCountByNameAndContent) {
  const TempDir a, b;
  Write(a / "x", "1");
  Write(b / "x", "1");
  EXPECT_EQ(ContentId(a.path()), ContentId(b.path()));
  Write(b / "y", "");
  EXPECT_NE(ContentId(a.path()), ContentId(b.path()));
  EXPECT_FALSE(ContentId(a / "missing"));
}

}  // namespace
}  // namespace stepscope::fleet
