// What is cut, changed or hostile is read up to the fault, never crashes and never grows memory.

#include <gmock/gmock.h>
#include <isa-l/igzip_lib.h>
#include <sys/resource.h>

#include <random>
#include <string>

#include "base/testing/data.h"
#include "io/inflate.h"
#include "read/chrome_json/chrome_json_reader.h"
#include "read/chrome_json/testing/read_text.h"
#include "read/open.h"

namespace stepscope::chrome_json {
namespace {

std::string LargeTrace() {
  const Result<FileBytes> file = ReadWhole(TestData("h200/tiny_launchbound.pt.trace.json.zst"));
  return file ? std::string(file->bytes().data(), file->bytes().size()) : "";
}

std::string SmallTrace() {
  std::string text = R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"G\"PU"}],)"
                     "\n\"traceEvents\": [\n";
  for (int i = 0; i < 6; ++i) {
    text += R"(  {"ph":"X","cat":"cpu_op","name":"aten::\u00fcmm )" + std::to_string(i) +
            R"(","pid":1,"tid":2,"ts":)" + std::to_string(i * 10) +
            R"(.125,"dur":5.5,"args":{"External id":)" + std::to_string(i) +
            R"(,"Input Dims":[[1,2],[3]],"Concrete Inputs":["a\\","]"]}},)" + "\n";
  }
  return text + R"(  {"ph":"i","name":"end","pid":"x","tid":"","ts":99}
  ],
  "traceName": "t.json"
})";
}

class EndlessSource final : public ByteSource {
 public:
  EndlessSource(std::string head, std::string body, uint64_t bytes)
      : head_(std::move(head)), body_(std::move(body)), left_(bytes) {}
  Result<size_t> Read(std::span<char> into) override {
    size_t filled = std::min(into.size(), head_.size());
    std::copy_n(head_.data(), filled, into.data());
    head_.erase(0, filled);
    while (filled < into.size() && left_ > 0) {
      const size_t piece = std::min<uint64_t>({into.size() - filled, body_.size(), left_});
      std::copy_n(body_.data(), piece, into.data() + filled);
      filled += piece;
      left_ -= piece;
    }
    return filled;
  }
  std::optional<uint64_t> compressed_size() const override { return std::nullopt; }
  uint64_t compressed_position() const override { return 0; }

 private:
  std::string head_;
  std::string body_;
  uint64_t left_;
};

ReadAnswer ReadEndless(std::string head, std::string body, uint64_t bytes) {
  TaskPool pool(2);
  Diagnostics diagnostics;
  OpenedSource source{std::make_unique<EndlessSource>(std::move(head), std::move(body), bytes),
                      Compression::kNone, "endless"};
  Result<Trace> trace = ReadChromeJson(std::move(source), {}, pool, diagnostics);
  return {std::move(trace), std::move(diagnostics)};
}

uint64_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) << 10;
}

TEST(Damage, CutAtEveryByteGivesAllEventsBefore) {
  const std::string whole = SmallTrace();
  const size_t list = whole.find('[', whole.find("traceEvents"));
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    SCOPED_TRACE(cut);
    const std::string text = whole.substr(0, cut);
    for (const size_t chunk_bytes : {size_t{64}, size_t{1} << 20}) {
      EventListOptions options;
      options.chunk_bytes = chunk_bytes;
      const ReadAnswer answer = ReadText(text, 1, options);
      if (cut <= list) {
        EXPECT_FALSE(answer.trace.has_value());
        continue;
      }
      ASSERT_TRUE(answer.trace.has_value());
      uint64_t complete = 0;  // each event ends its line with a brace
      for (size_t at = text.find("}", list); at != std::string::npos; at = text.find("}", at + 1)) {
        complete += at + 1 < whole.size() &&
                    (whole.compare(at, 3, "},\n") == 0 || whole.compare(at, 4, "}\n  ") == 0);
      }
      EXPECT_EQ(answer.trace->events.stored(), complete);
      EXPECT_EQ(answer.trace->slices.size() + answer.trace->instants.size(), complete);
      EXPECT_LE(answer.trace->events.diagnosed, 1U);
      EXPECT_EQ(answer.diagnostics.CountOf(Diagnostic::kFileTruncated), 1U);
      EXPECT_EQ(answer.diagnostics.entries()[0].examples[0].offset, cut);
    }
  }
}

TEST(Damage, CutAtRandomBytesOfALargeTrace) {
  const std::string whole = LargeTrace();
  ASSERT_GT(whole.size(), 400'000U);
  std::mt19937_64 random(7);
  // A window of the large file keeps a thousand cuts affordable; the last cuts use all of it.
  for (int i = 0; i < 1000; ++i) {
    const size_t limit = i < 980 ? std::min<size_t>(whole.size(), 400'000) : whole.size();
    const size_t cut = 2000 + random() % (limit - 2000);
    SCOPED_TRACE(cut);
    EventListOptions options;
    options.chunk_bytes = size_t{1} << (14 + random() % 8);
    const ReadAnswer answer = ReadText(whole.substr(0, cut), 2, options);
    ASSERT_TRUE(answer.trace.has_value());
    EXPECT_EQ(answer.diagnostics.CountOf(Diagnostic::kFileTruncated), 1U);
    EXPECT_EQ(answer.diagnostics.CountOf(Diagnostic::kMalformedJson), 0U);
    EXPECT_LE(answer.trace->events.diagnosed, 1U);
    EXPECT_GT(answer.trace->events.in_file + 1, cut / 2000);
  }
}

TEST(Damage, RandomMutationsNeverCrash) {
  const std::string whole = LargeTrace().substr(0, 120'000);
  ASSERT_EQ(whole.size(), 120'000U);
  std::mt19937_64 random(11);
  constexpr std::string_view kLikely = "\"\\{}[]:,0-e.\n\x00\xff";
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    std::string text = whole;
    const uint64_t changes = 1 + random() % 20;
    for (uint64_t c = 0; c < changes; ++c) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kLikely[random() % kLikely.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 30);
          break;
        default:
          text.insert(at, text.substr(random() % (text.size() - 100), random() % 100));
          break;
      }
    }
    EventListOptions options;
    options.chunk_bytes = size_t{1} << (12 + random() % 8);
    const ReadAnswer best = ReadText(text, 2, options);
    options.instructions = InstructionSet::kPortable;
    const ReadAnswer portable = ReadText(text, 1, options);
    ASSERT_EQ(best.trace.has_value(), portable.trace.has_value());
    if (!best.trace) continue;
    EXPECT_EQ(best.trace->events.in_file, portable.trace->events.in_file);
    EXPECT_EQ(best.trace->events.diagnosed, portable.trace->events.diagnosed);
    if (i % 20 == 0) {
      EXPECT_TRUE(Dump(*best.trace) == Dump(*portable.trace));
    }
  }
}

TEST(Damage, NestingCostsNothing) {
  const std::string deep(100'000, '[');
  const ReadAnswer in_args = ReadText(R"([{"ph":"X","name":"a","ts":1,"dur":1,"args":{"x":)" +
                                      deep + std::string(100'000, ']') + "}}]");
  ASSERT_TRUE(in_args.trace.has_value());
  EXPECT_EQ(in_args.trace->slices.size(), 1U);
  const ReadAnswer open = ReadText("[" + deep);
  ASSERT_TRUE(open.trace.has_value());
  EXPECT_EQ(open.trace->events.in_file, 1U);
  const ReadAnswer objects = ReadText(R"({"a":)" + deep + R"(1})");
  EXPECT_FALSE(objects.trace.has_value());
}

TEST(Damage, HugeStringIsWalkedOverInBoundedMemory) {
  const uint64_t before = PeakBytes();
  const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
  const ReadAnswer in_event =
      ReadEndless("[" + event + R"(,{"ph":"X","name":")", std::string(1 << 20, 'x'), 2ULL << 30);
  ASSERT_TRUE(in_event.trace.has_value());
  EXPECT_EQ(in_event.trace->slices.size(), 1U);
  EXPECT_EQ(in_event.diagnostics.CountOf(Diagnostic::kFileTruncated), 1U);
  const ReadAnswer in_member =
      ReadEndless(R"({"systemTraceEvents":")", std::string(1 << 20, 'x'), 2ULL << 30);
  EXPECT_FALSE(in_member.trace.has_value());
  EXPECT_LT(PeakBytes(), before + (uint64_t{1} << 30));
}

TEST(Damage, EventsBehindAHugeOneAreRead) {
  const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
  EventListOptions options;
  options.chunk_bytes = 1000;
  options.largest_event = 20'000;
  for (const size_t size : {size_t{5'000}, size_t{19'000}, size_t{50'000}, size_t{200'000}}) {
    const std::string huge =
        R"({"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":1,"args":{"x":")" +
        std::string(size, 'y') + R"("}})";
    const ReadAnswer answer =
        ReadText("[" + event + "," + huge + "," + event + "," + event + "]", 2, options);
    ASSERT_TRUE(answer.trace.has_value());
    EXPECT_EQ(answer.trace->events.in_file, 4U);
    EXPECT_EQ(answer.trace->events.diagnosed, size > options.largest_event * 2 ? 1U : 0U) << size;
    EXPECT_EQ(answer.trace->slices.size(), size > options.largest_event * 2 ? 3U : 4U);
  }
}

TEST(Damage, GzipBombIsBounded) {
  // 1 GiB of blanks between two events in 64 members, about 1 MiB compressed.
  const auto gzip = [](std::string text) {
    isal_zstream stream;
    isal_deflate_init(&stream);
    stream.gzip_flag = IGZIP_GZIP;
    stream.end_of_stream = 1;
    std::string out(text.size() / 64 + 4096, '\0');
    stream.next_in = reinterpret_cast<uint8_t*>(text.data());
    stream.avail_in = static_cast<uint32_t>(text.size());
    stream.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream.avail_out = static_cast<uint32_t>(out.size());
    EXPECT_EQ(isal_deflate(&stream), COMP_OK);
    out.resize(stream.total_out);
    return out;
  };
  const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
  const std::string blanks = gzip(std::string(16 << 20, ' '));
  std::string bomb = gzip("[" + event + ",");
  for (int i = 0; i < 64; ++i) bomb += blanks;
  bomb += gzip(event + "]");
  const uint64_t before = PeakBytes();
  OpenedSource source = SourceOf(std::move(bomb));
  source.bytes = InflateGzip(std::move(source.bytes), "bomb");
  TaskPool pool(2);
  Diagnostics diagnostics;
  const Result<Trace> trace = ReadChromeJson(std::move(source), {}, pool, diagnostics);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->slices.size(), 2U);
  EXPECT_LT(PeakBytes(), before + (uint64_t{1} << 30));
}

TEST(Damage, CompressedFaultsAreTold) {
  const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
  TaskPool pool(1);
  Diagnostics diagnostics;
  const Result<Trace> trace =
      ReadChromeJson(SourceOf("[" + event + "]",
                              Error{ErrorCode::kDamaged, "The checksum is wrong.", "t", 17, ""}),
                     {}, pool, diagnostics);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->slices.size(), 1U);
  EXPECT_EQ(diagnostics.CountOf(Diagnostic::kGzipDamaged), 1U);
}

}  // namespace
}  // namespace stepscope::chrome_json
