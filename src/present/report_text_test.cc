#include "present/report_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "present/testing/sample_report.h"
#include "present/unicode.h"

namespace stepscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(const TextOptions& options) {
  const SampleReport sample = MakeSampleReport();
  return ReportsText({{sample.reported()}}, options);
}

TEST(ReportText, NoLineIsWiderThanTheTerminal) {
  for (const size_t width : {60, 72, 80, 100, 140, 200}) {
    for (const bool ascii : {false, true}) {
      const std::string text = TextOf({.style = {.ascii = ascii, .width = width}, .all = true});
      for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at);
        const std::string_view line = std::string_view(text).substr(at, end - at);
        EXPECT_LE(DisplayWidth(line), width) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
        at = end + 1;
      }
    }
  }
}

TEST(ReportText, AsciiIsAscii) {
  const std::string text = TextOf({.style = {.ascii = true, .width = 100}, .all = true});
  EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                          [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
}

TEST(ReportText, InstructionsWithTheirRatesAndLines) {
  SampleReport sample = MakeSampleReport();
  StringTable& strings = sample.trace.strings;
  const auto add = [&](std::string_view name, int64_t ns, std::string_view source) {
    HloRow row;
    row.name = strings.Intern(name);
    row.source = strings.Intern(source);
    row.op_name = strings.Intern("jit(step)/dot_general");
    row.calls = 2;
    row.total = {ns};
    row.flops = 1'000'000'000;
    row.bytes = 4'000'000;
    sample.report.hlo.push_back(row);
  };
  add("gemm_fusion.1", 40'000'000, "/home/me/train.py:31");
  add("loop_fusion", 10'000'000, "/home/me/train.py:31");
  add("copy.1", 30'000'000, "/home/me/train.py:7");
  const auto text = [&](bool all) {
    return ReportsText({{sample.reported()}}, {.style = {.width = 140}, .all = all});
  };
  // 2 × 10^9 flops in 40 ms are 0.05 TFLOP/s, 8 MB in 40 ms 0.2 GB/s.
  for (const char* part :
       {"XLA ops by device time", "gemm_fusion.1         40.0  50.0      2     0.05  0.20",
        "train.py:31", "Lines of Python by device time",
        "50.0  62.5    2  jit(step)/dot_general"}) {
    EXPECT_THAT(text(false), HasSubstr(part));
  }
  EXPECT_THAT(text(false), Not(HasSubstr("Top ops")));
  EXPECT_THAT(text(true), HasSubstr("Top ops"));
}

TEST(ReportText, ColourOnlyWhenAskedFor) {
  EXPECT_THAT(TextOf({}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(TextOf({.style = {.color = true}}), HasSubstr("\x1b[33mbound by input\x1b[0m"));
}

TEST(ReportText, SaysTheMainThings) {
  const std::string text = TextOf({.style = {.width = 140}});
  for (const char* part :
       {"dir/sample.json   PyTorch · 1 × NVIDIA H200 · rank 0 of 2 · 2 steps · 230.0 ms · 61,234 "
        "events",
        "Trust   ✔ all 1,024 device events linked to their launch",
        "Step    100.0 ms median · 10.0 steps/s · 1 of 2 used",
        "Verdict bound by input: Waiting for input takes 50.0 % of the median step",
        "Where a step goes (gpu:0)", "  compute                      40.0  40.0",
        "    waiting for input          50.0  50.0", "enumerate(DataLoader)#__next__",
        "vectorized_elementwise_kernel<4, CUDAFunctor_add<…>, array<…>>",
        "gpu:0 peak 12.0 GiB allocated of 140 GiB · grows 32.0 MiB a step"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ReportText, SeveralProfilesThenTheSlowest) {
  const SampleReport fast = MakeSampleReport();
  SampleReport slow = MakeSampleReport();
  slow.trace.path = "slow.json";
  slow.report.step_statistics.median = DurationNs{200'000'000};
  const std::string text = ReportsText({{fast.reported(), slow.reported()}}, {});
  EXPECT_THAT(text, HasSubstr("2 profiles"));
  EXPECT_THAT(text, HasSubstr("The slowest in full\nslow.json"));
}

TEST(ReportText, AnEmptyReportSaysSo) {
  const Trace trace;
  const LinkedTrace linked(trace);
  const Report report;
  const std::string text = ReportsText({{Reported{&linked, &report}}}, {});
  EXPECT_THAT(text, HasSubstr("none found: what follows covers the whole profile"));
}

}  // namespace
}  // namespace stepscope
