#include "read/tfevents/run_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/json_document.h"
#include "base/testing/data.h"
#include "base/testing/temp_dir.h"
#include "io/byte_source.h"
#include "read/tfevents/histogram.h"
#include "read/tfevents/log_dir.h"

namespace stepscope {
namespace {

std::string Events(const std::string& path) { return TestData("tf/events/" + path); }

JsonValue JsonFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  auto json = ParseJson(text);
  EXPECT_TRUE(json) << path;
  return json ? std::move(*json) : JsonValue();
}

ReadRunOptions Everything() {
  ReadRunOptions options;
  options.points = ReadRunOptions::Points::kAll;
  return options;
}

// Answers hold NaN and infinities as strings.
void ExpectNumber(double ours, const JsonValue& theirs) {
  if (theirs.kind() == JsonValue::Kind::kString) {
    if (theirs.text() == "nan") {
      EXPECT_TRUE(std::isnan(ours));
    } else {
      EXPECT_EQ(ours, theirs.text() == "inf" ? HUGE_VAL : -HUGE_VAL);
    }
  } else {
    EXPECT_EQ(ours, theirs.AsDouble());
  }
}

const TagSeries* Find(const RunLog& run, std::string_view tag, TagKind kind) {
  for (const TagSeries& series : run.tags) {
    if (series.tag == tag && series.kind == kind) return &series;
  }
  return nullptr;
}

template <typename Point>
void ExpectPlace(const Point& ours, const JsonValue& theirs) {
  EXPECT_EQ(ours.step, theirs[size_t{0}].AsInt());
  EXPECT_EQ(ours.wall_time, theirs[1].AsDouble());
}

void ExpectTensorTag(const RunLog& run, const std::string& tag, const JsonValue& theirs) {
  const std::string& plugin = theirs["plugin"].text();
  const auto& points = theirs["points"].items();
  if (plugin == "scalars") {
    const TagSeries* ours = Find(run, tag, TagKind::kScalar);
    ASSERT_TRUE(ours);
    ASSERT_EQ(ours->scalars.size(), points.size());
    EXPECT_EQ(ours->description, theirs["description"].text());
    for (size_t i = 0; i < points.size(); ++i) {
      ExpectPlace(ours->scalars[i], points[i]);
      ExpectNumber(ours->scalars[i].value, points[i][2]["values"][size_t{0}]);
    }
  } else if (plugin == "histograms") {
    const TagSeries* ours = Find(run, tag, TagKind::kHistogram);
    ASSERT_TRUE(ours);
    ASSERT_EQ(ours->histograms.size(), points.size());
    for (size_t i = 0; i < points.size(); ++i) {
      ExpectPlace(ours->histograms[i], points[i]);
      const auto& values = points[i][2]["values"].items();
      EXPECT_EQ(ours->histograms[i].histogram.buckets.size(),
                static_cast<size_t>(points[i][2]["shape"][size_t{0}].AsInt()));
      for (size_t v = 0; v + 2 < values.size(); v += 3) {
        const auto& bucket = ours->histograms[i].histogram.buckets[v / 3];
        EXPECT_EQ(bucket.left, values[v].AsDouble());
        EXPECT_EQ(bucket.right, values[v + 1].AsDouble());
        EXPECT_EQ(bucket.count, values[v + 2].AsDouble());
      }
    }
  } else if (plugin == "text") {
    const TagSeries* ours = Find(run, tag, TagKind::kText);
    ASSERT_TRUE(ours);
    for (size_t i = 0; i < points.size(); ++i) {
      ExpectPlace(ours->texts.at(i), points[i]);
      const auto& values = points[i][2]["values"].items();
      ASSERT_EQ(ours->texts[i].strings.size(), values.size());
      for (size_t v = 0; v < values.size(); ++v) {
        EXPECT_EQ(ours->texts[i].strings[v], values[v].text());
      }
    }
  } else if (plugin == "images") {
    const TagSeries* ours = Find(run, tag, TagKind::kImage);
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->count, points.size());
  } else {
    const TagSeries* ours = Find(run, tag, TagKind::kTensor);
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->plugin, plugin);
    for (size_t i = 0; i < points.size(); ++i) {
      const auto& values = points[i][2]["values"].items();
      ASSERT_EQ(ours->tensors.at(i).values.size(), values.size());
      for (size_t v = 0; v < values.size(); ++v) {
        ExpectNumber(ours->tensors[i].values[v], values[v]);
      }
    }
  }
}

void ExpectRun(const RunLog& run, const JsonValue& answer) {
  size_t tags = 0;
  for (const auto& [tag, points] : answer["scalars"].members()) {
    ++tags;
    const TagSeries* ours = Find(run, tag, TagKind::kScalar);
    ASSERT_TRUE(ours) << tag;
    ASSERT_EQ(ours->scalars.size(), points.items().size()) << tag;
    EXPECT_EQ(ours->count, points.items().size());
    for (size_t i = 0; i < ours->scalars.size(); ++i) {
      ExpectPlace(ours->scalars[i], points[i]);
      ExpectNumber(ours->scalars[i].value, points[i][2]);
    }
  }
  for (const auto& [tag, points] : answer["histograms"].members()) {
    ++tags;
    const TagSeries* ours = Find(run, tag, TagKind::kHistogram);
    ASSERT_TRUE(ours) << tag;
    ASSERT_EQ(ours->histograms.size(), points.items().size()) << tag;
    for (size_t i = 0; i < ours->histograms.size(); ++i) {
      const Histogram& histogram = ours->histograms[i].histogram;
      EXPECT_EQ(histogram.min, points[i][2]["min"].AsDouble());
      EXPECT_EQ(histogram.max, points[i][2]["max"].AsDouble());
      EXPECT_EQ(histogram.num, points[i][2]["num"].AsDouble());
      EXPECT_EQ(histogram.sum, points[i][2]["sum"].AsDouble());
      EXPECT_EQ(histogram.sum_squares, points[i][2]["sum_squares"].AsDouble());
      for (size_t b = 0; b < histogram.buckets.size(); ++b) {
        EXPECT_EQ(histogram.buckets[b].right, points[i][2]["bucket_limit"][b].AsDouble());
        EXPECT_EQ(histogram.buckets[b].count, points[i][2]["bucket"][b].AsDouble());
      }
    }
  }
  for (const auto& [tag, theirs] : answer["tensors"].members()) {
    ++tags;
    ExpectTensorTag(run, tag, theirs);
  }
  tags += answer["tags"]["run_metadata"].items().size();
  tags += answer["tags"]["graph"].AsBool() ? 1 : 0;
  tags += answer["tags"]["meta_graph"].AsBool() && Find(run, "meta_graph", TagKind::kMetaGraph);
  EXPECT_EQ(run.tags.size(), tags);
}

TEST(RunLog, EqualsTensorBoardOnEveryRun) {
  const JsonValue answers = JsonFile(Events("answers.json"));
  const auto runs = FindEventRuns({Events("logs")});
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), answers["runs"].members().size());
  for (const EventRun& found : *runs) {
    SCOPED_TRACE(found.name);
    const RunLog run = ReadRun(found.name, found.files, Everything());
    EXPECT_TRUE(run.damage.empty());
    if (found.name == "late_start") continue;  // TensorBoard loses all of it; see below
    ExpectRun(run, answers["runs"][found.name]);
  }
}

TEST(RunLog, KeepsWhatALateStartMakesTensorBoardForget) {
  const auto runs = FindEventRuns({Events("logs/late_start")});
  ASSERT_TRUE(runs);
  const RunLog run = ReadRun("late_start", runs->front().files, Everything());
  const JsonValue records = JsonFile(Events("records.json"));
  const TagSeries* loss = Find(run, "loss", TagKind::kScalar);
  ASSERT_TRUE(loss);
  size_t at = 0;
  for (const JsonValue& event :
       records["files"]["logs/late_start/events.out.tfevents.1700002300.host1"]["events"].items()) {
    for (const JsonValue& value : event["values"].items()) {
      if (value["tag"].text() != "loss") continue;
      ASSERT_LT(at, loss->scalars.size());
      EXPECT_EQ(loss->scalars[at].step, event["step"].AsInt());
      EXPECT_EQ(loss->scalars[at++].value, value["simple_value"].AsDouble());
    }
  }
  EXPECT_EQ(at, 12u);
  ASSERT_EQ(run.restarts.size(), 1u);
  EXPECT_FALSE(run.restarts[0].hides);
  EXPECT_EQ(run.restarts[0].step, 0);
}

TEST(RunLog, RawKeepsWhatARestartHides) {
  const auto runs = FindEventRuns({Events("logs/restarted")});
  ASSERT_TRUE(runs);
  ReadRunOptions raw = Everything();
  raw.restarts = ReadRunOptions::Restarts::kKeep;
  EXPECT_EQ(ReadRun("r", runs->front().files, raw).tags.at(0).scalars.size(), 12u);
  const RunLog run = ReadRun("r", runs->front().files, Everything());
  EXPECT_EQ(run.tags.at(0).scalars.size(), 9u);
  ASSERT_EQ(run.restarts.size(), 1u);
  EXPECT_EQ(run.restarts[0].step, 30);
  EXPECT_EQ(run.restarts[0].hidden, 3u);
}

TEST(RunLog, DamagedFilesGiveEveryIntactRecord) {
  const std::string whole_path = Events("logs/new/events.out.tfevents.1700001000.host1.v2");
  const uint64_t all = ReadRun("new", {whole_path}, {}).files.at(0).events;
  struct Expected {
    const char* fault;
    uint64_t events;
    size_t damage;
    bool cut;
  };
  for (const Expected& expected : std::initializer_list<Expected>{
           {"1.truncated_in_payload", 8, 0, true},
           {"2.truncated_in_header", 8, 0, true},
           {"3.truncated_before_footer", 8, 0, true},
           {"4.bad_data_crc", all - 1, 1, false},
           {"5.bad_length_crc", all - 1, 1, false},
           {"6.flipped_payload_byte", all - 1, 1, false},
           {"7.empty", 0, 0, false},
           {"8.zero_tail", 8, 1, false},
           {"9.huge_length", all - 1, 1, false},
       }) {
    SCOPED_TRACE(expected.fault);
    const RunLog run =
        ReadRun("d", {Events(std::string("damaged/events.out.tfevents.") + expected.fault)}, {});
    EXPECT_EQ(run.files.at(0).events, expected.events);
    EXPECT_EQ(run.damage.size(), expected.damage);
    EXPECT_EQ(run.files.at(0).cut_bytes > 0, expected.cut);
    if (expected.cut) {
      EXPECT_EQ(run.files[0].cut_at + run.files[0].cut_bytes, run.files[0].bytes);
    }
    if (expected.damage > 0 || expected.cut) {
      // The fault is in the ninth record, which begins at byte 571.
      EXPECT_EQ(expected.cut ? run.files[0].cut_at : run.damage[0].offset, 571u);
    }
  }
}

TEST(RunLog, SurvivesEveryCutAndThousandMutations) {
  const TempDir folder;
  const std::string copy = folder / "mutated.tfevents";
  const auto write = [&](std::string_view bytes) {
    std::filesystem::remove(copy);  // a file that is cut and written again goes to the disk at once
    std::ofstream(copy, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  std::mt19937 random(11);
  const auto runs = FindEventRuns({Events("logs")});
  ASSERT_TRUE(runs);
  for (const EventRun& found : *runs) {
    for (const std::string& path : found.files) {
      const auto whole = ReadWhole(path);
      const std::string file(whole->bytes().begin(), whole->bytes().end());
      const uint64_t all = ReadRun("whole", {path}, {}).files.at(0).events;
      uint64_t before = 0;
      for (size_t cut = 0; cut <= file.size(); ++cut) {
        write(std::string_view(file).substr(0, cut));
        const RunLog run = ReadRun("cut", {copy}, Everything());
        ASSERT_GE(run.files.at(0).events, before);
        ASSERT_TRUE(run.damage.empty());
        before = run.files.at(0).events;
      }
      EXPECT_EQ(before, all);
      for (int round = 0; round < 1000; ++round) {
        std::string bad = file;
        bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
        write(bad);
        // One byte costs one record, never more.
        ASSERT_EQ(ReadRun("mutated", {copy}, Everything()).files.at(0).events, all - 1);
      }
    }
  }
}

TEST(Histogram, DistributionInterpolatesInsideBuckets) {
  Histogram histogram;
  histogram.min = 0;
  histogram.max = 10;
  histogram.num = 10;
  histogram.buckets = {{0, 5, 5}, {5, 10, 5}};
  const auto points = DistributionOf(histogram);
  EXPECT_DOUBLE_EQ(points[0], 0);
  EXPECT_DOUBLE_EQ(points[4], 5);
  EXPECT_DOUBLE_EQ(points[2], 1.587);
  EXPECT_DOUBLE_EQ(points[8], 10);
}

}  // namespace
}  // namespace stepscope
