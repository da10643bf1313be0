// Every recorded trace: nothing is lost, and how it is read does not show.

#include <gmock/gmock.h>

#include <map>
#include <stdexcept>
#include <string>

#include "base/testing/data.h"
#include "read/chrome_json/chrome_json_reader.h"
#include "read/chrome_json/testing/read_text.h"
#include "read/open.h"

namespace stepscope::chrome_json {
namespace {

using Counts = std::map<std::string, uint64_t>;

std::string Content(const std::string& path) {
  const Result<FileBytes> file = ReadWhole(path);
  if (!file) throw std::runtime_error(path + ": " + InEnglish(file.error().sentence));
  return {file->bytes().data(), file->bytes().size()};
}

std::vector<std::string> TracesOf(const std::string& folder) {
  std::vector<std::string> traces;
  for (const std::string& path : FilesBelow(folder)) {
    if (path.find(".json") == std::string::npos || path.find("answers") != std::string::npos) {
      continue;
    }
    Result<OpenedSource> source = OpenSource(path);
    if (!source) continue;
    if (FileTypeOf(Peek(*source, kSniffedBytes)) == FileType::kChromeJson) traces.push_back(path);
  }
  return traces;
}

// The slow, obvious version: how many entries the event list has and what phases they say, by
// walking over the text one character at a time.
struct Walked {
  uint64_t entries = 0;
  Counts phases;
};
Walked WalkSlowly(const std::string& text) {
  Walked walked;
  size_t at = text.find_first_not_of(" \r\n\t");
  const bool bare = text[at] == '[';
  if (!bare) {
    const size_t key = text.find("\"traceEvents\"");
    at = text.find('[', key);
  }
  int depth = 0;
  bool in_string = false;
  std::string last_string, key;
  size_t string_start = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
        last_string = text.substr(string_start, at - string_start);
        if (depth == 2 && key == "ph") ++walked.phases[last_string];
        if (depth == 2) key = key == "" ? last_string : "";
      }
    } else if (c == '"') {
      in_string = true;
      string_start = at + 1;
    } else if (c == '{' || c == '[') {
      if (++depth == 2) ++walked.entries;
      if (depth == 2) key = "";
    } else if (c == '}' || c == ']') {
      if (--depth == 0) break;
    } else if (c == ',' && depth == 2) {
      key = "";
    }
  }
  return walked;
}

Result<Trace> ReadFile(const std::string& path, unsigned threads, size_t chunk_bytes,
                       Diagnostics& diagnostics) {
  TaskPool pool(threads);
  EventListOptions options;
  options.chunk_bytes = chunk_bytes;
  Result<OpenedSource> source = OpenSource(path);
  return ReadChromeJson(std::move(*source), options, pool, diagnostics);
}

uint64_t CountOf(const Counts& counts, const std::string& key) {
  const auto at = counts.find(key);
  return at == counts.end() ? 0 : at->second;
}

// Returns how many traces the folders hold.
size_t ExpectEveryEntryIsStored(const std::vector<std::string>& folders) {
  size_t traces = 0;
  for (const std::string& folder : folders) {
    for (const std::string& path : TracesOf(folder)) {
      SCOPED_TRACE(path);
      Diagnostics diagnostics;
      const Result<Trace> trace = ReadFile(path, 2, size_t{4} << 20, diagnostics);
      if (!trace) throw std::runtime_error(InEnglish(trace.error().sentence));
      const Walked walked = WalkSlowly(Content(path));
      const EventCounts& events = trace->events;
      EXPECT_EQ(events.in_file, walked.entries);
      EXPECT_EQ(events.by_phase, walked.phases);
      EXPECT_EQ(events.diagnosed, diagnostics.CountOf(Diagnostic::kEmptyEvent));
      EXPECT_EQ(trace->slices.size(), CountOf(events.by_phase, "X"));
      EXPECT_EQ(trace->flows.size(), CountOf(events.by_phase, "s") + CountOf(events.by_phase, "t") +
                                         CountOf(events.by_phase, "f"));
      // A counter without numbers is an instant; one with several gives as many samples.
      const uint64_t instants = CountOf(events.by_phase, "i") + CountOf(events.by_phase, "N") +
                                CountOf(events.by_phase, "O") + CountOf(events.by_phase, "D");
      const uint64_t kept = trace->instants.size() + trace->allocations.size();
      EXPECT_GE(kept, instants);
      EXPECT_GE(kept + trace->counters.size(), instants + CountOf(events.by_phase, "C"));
      ++traces;
    }
  }
  return traces;
}

TEST(Recordings, EveryEntryIsStored) {
  EXPECT_GE(ExpectEveryEntryIsStored({TestData("h200"), TestData("rules"), TestData("tf")}), 80U);
}
TEST(RecordingsAcceptance, EveryEntryIsStored) {
  EXPECT_GE(ExpectEveryEntryIsStored({AcceptanceData("tb_plugin"), AcceptanceData("tracelens"),
                                      AcceptanceData("hta"), AcceptanceData("timelines"),
                                      AcceptanceData("tfprof/expected")}),
            20U);
}

TEST(RecordingsAcceptance, CountsOfTheTables) {
  struct Row {
    std::string path;
    Counts phases;
    Counts categories;
  };
  const std::vector<Row> rows = {
      {"tb_plugin/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
       {{"X", 44666}, {"i", 12840}, {"s", 9096}, {"f", 9096}, {"M", 20}},
       {{"Kernel", 8772},
        {"Memcpy", 12},
        {"Memset", 312},
        {"Runtime", 11923},
        {"Operator", 23646}}},
      {"hta/critical_path/simple_add/benchmark_result_493459_1694039959_trace.json.gz",
       {{"X", 838}, {"f", 315}, {"s", 155}},
       {{"cpu_op", 359},
        {"cuda_runtime", 331},
        {"kernel", 79},
        {"gpu_memcpy", 16},
        {"gpu_memset", 3},
        {"cuda_sync", 41},
        {"user_annotation", 8}}},
      {"hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
       {{"X", 45420}, {"f", 15928}, {"s", 7306}},
       {{"cpu_op", 23910},
        {"cuda_runtime", 15329},
        {"kernel", 4350},
        {"gpu_memcpy", 1600},
        {"gpu_memset", 145},
        {"user_annotation", 70},
        {"gpu_user_annotation", 15}}},
      {"hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
       {{"X", 16}, {"M", 12}, {"i", 2}},
       {{"user_annotation", 11}, {"cpu_op", 4}, {"Trace", 1}}},
      {"timelines/GPU/timeline_03_merged_5_runs.json",
       {{"M", 17}, {"X", 847}, {"s", 69}, {"t", 69}},
       {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.path);
    Diagnostics diagnostics;
    const Result<Trace> trace = ReadFile(AcceptanceData(row.path), 2, size_t{1} << 20, diagnostics);
    ASSERT_TRUE(trace.has_value());
    for (const auto& [phase, count] : row.phases) {
      EXPECT_EQ(CountOf(trace->events.by_phase, phase), count) << phase;
    }
    for (const auto& [category, count] : row.categories) {
      EXPECT_EQ(CountOf(trace->events.complete_by_category, category), count) << category;
    }
  }
}

void ExpectSameTraceAtAnyThreadCount(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    for (const size_t chunk_bytes : {size_t{1} << 14, size_t{100'003}, size_t{4} << 20}) {
      Diagnostics diagnostics;
      const Result<Trace> alone = ReadFile(file, 1, chunk_bytes, diagnostics);
      ASSERT_TRUE(alone.has_value());
      const std::string expected = Dump(*alone);
      for (const unsigned threads : {2U, 7U}) {
        Diagnostics again;
        const Result<Trace> trace = ReadFile(file, threads, chunk_bytes, again);
        ASSERT_TRUE(trace.has_value());
        EXPECT_TRUE(Dump(*trace) == expected) << threads << " threads, " << chunk_bytes;
        EXPECT_EQ(again.entries().size(), diagnostics.entries().size());
      }
    }
  }
}

TEST(Recordings, SameTraceAtAnyThreadCount) {
  ExpectSameTraceAtAnyThreadCount(
      {TestData("h200/tiny_launchbound.pt.trace.json.zst"), TestData("h200/jax_mlp.trace.json.zst"),
       TestData("h200/ort_mobilenet.json.zst"), Example("streams_overlap.pt.trace.json.gz"),
       TestData("tf/gpu/timeline_py/run_meta_0.flow1.mem1.schedule.json")});
}
TEST(RecordingsAcceptance, SameTraceAtAnyThreadCount) {
  ExpectSameTraceAtAnyThreadCount(
      {AcceptanceData("timelines/GPU/timeline_02_step_0.json"),
       AcceptanceData("hta/critical_path/simple_add/"
                      "benchmark_result_493459_1694039959_trace.json.gz")});
}

TEST(Recordings, ChunkSizeDoesNotShowInTheEvents) {
  for (const std::string& path : TracesOf(TestData("h200"))) {
    SCOPED_TRACE(path);
    Diagnostics large_chunks, small_chunks;
    const Result<Trace> large = ReadFile(path, 2, size_t{4} << 20, large_chunks);
    const Result<Trace> small = ReadFile(path, 2, 5000, small_chunks);
    ASSERT_TRUE(large.has_value() && small.has_value());
    EXPECT_EQ(large->events.in_file, small->events.in_file);
    EXPECT_EQ(large->events.complete_by_category, small->events.complete_by_category);
    EXPECT_EQ(large->strings.size(), small->strings.size());
    EXPECT_EQ(large->slices.size(), small->slices.size());
    EXPECT_EQ(large->span, small->span);
    EXPECT_EQ(large_chunks.entries().size(), small_chunks.entries().size());
  }
}

TEST(Recordings, PortableParserAgrees) {
  const std::string text = Content(TestData("h200/gpt2_modules.pt.trace.json.zst"));
  EventListOptions portable;
  portable.instructions = InstructionSet::kPortable;
  const ReadAnswer best = ReadText(text);
  const ReadAnswer plain = ReadText(text, 1, portable);
  EXPECT_TRUE(Dump(*best.trace) == Dump(*plain.trace));
}

TEST(Recordings, JaxRowsAreToldByTheirNames) {
  Diagnostics diagnostics;
  const Result<Trace> trace =
      ReadFile(TestData("h200/jax_mlp.trace.json.zst"), 1, size_t{4} << 20, diagnostics);
  ASSERT_TRUE(trace.has_value());
  std::map<Kind, uint64_t> kinds;
  for (const Kind kind : trace->slices.kind) ++kinds[kind];
  EXPECT_EQ(kinds[Kind::kStep], 8U);
  EXPECT_EQ(kinds[Kind::kCopy], 16U);  // 8 on each of the two streams
  EXPECT_EQ(kinds[Kind::kKernel], 352U);
  EXPECT_EQ(trace->devices.size(), 1U);
  EXPECT_EQ(trace->events.diagnosed, 1U);  // the {} that ends the list
  const DeviceArgs& copy = trace->device_args.back();
  EXPECT_EQ(copy.bytes, 16777216);
}

TEST(RecordingsAcceptance, TimelineRowsCountEachKernelOnce) {
  Diagnostics diagnostics;
  const Result<Trace> trace = ReadFile(AcceptanceData("timelines/GPU/timeline_02_step_0.json"), 1,
                                       size_t{4} << 20, diagnostics);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->facts.format, Format::kTensorFlowTimeline);
  std::map<Kind, uint64_t> kinds;
  for (const Kind kind : trace->slices.kind) ++kinds[kind];
  EXPECT_EQ(kinds[Kind::kOp], 81U);        // 80 on gpu:0, 1 on cpu:0
  EXPECT_EQ(kinds[Kind::kKernel], 39U);    // 38 on stream 12, 1 on stream 7
  EXPECT_EQ(kinds[Kind::kCopy], 7U);       // memcpy row: its streams show only 6
  EXPECT_EQ(kinds[Kind::kDeviceOp], 44U);  // the other view of the same work
}

}  // namespace
}  // namespace stepscope::chrome_json
