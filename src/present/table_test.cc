#include "present/table.h"

#include <gtest/gtest.h>

#include "present/unicode.h"

namespace stepscope {
namespace {

Table Sample() {
  Table table("Top ops", {{"", Align::kLeft, Fit::kShorten},
                          {"ms", Align::kRight},
                          {"calls", Align::kRight, Fit::kDrop},
                          {"", Align::kLeft, Fit::kBar}});
  table.AddRow(
      {"aten::convolution_backward_of_everything", "12.5", "1,024", Cell::Bar(1, Color::kPlain)});
  table.AddRow({"aten::mm", "1.0", "8", Cell::Bar(0.25, Color::kPlain)});
  return table;
}

size_t Widest(const std::string& text) {
  size_t widest = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    widest = std::max(widest, DisplayWidth(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST(Table, WideTerminalShowsEverything) {
  EXPECT_EQ(Sample().Render({.width = 70}),
            "Top ops                                       ms  calls\n"
            "  aten::convolution_backward_of_everything  12.5  1,024  █████████████\n"
            "  aten::mm                                   1.0      8  ███▎\n");
}

TEST(Table, NarrowTerminalShortensThenDropsThenLosesTheBar) {
  EXPECT_EQ(Sample().Render({.width = 50}),
            "Top ops                                 ms\n"
            "  aten::convolution_back…_everything  12.5  ██████\n"
            "  aten::mm                             1.0  █▌\n");
  for (size_t width = 40; width < 90; ++width) {
    EXPECT_LE(Widest(Sample().Render({.width = width})), width);
    EXPECT_LE(Widest(Sample().Render({.ascii = true, .width = width})), width);
  }
}

TEST(Table, CleansWhatFilesSay) {
  Table table("T", {{""}, {"n", Align::kRight}});
  table.AddRow({"a\x1b[2Jb", "1"});
  table.AddRow({"模", "2"});
  EXPECT_EQ(table.Render({}), "T         n\n  a\uFFFD[2Jb  1\n  模      2\n");
}

TEST(Table, ColourDoesNotShiftColumns) {
  Table table("T", {{""}, {"n", Align::kRight}});
  table.AddRow({Cell("long", Color::kRed), "1"});
  table.AddRow({Cell("x", Color::kRed), "2"});
  EXPECT_EQ(table.Render({.color = true}),
            "\x1b[1mT\x1b[0m       \x1b[2mn\x1b[0m\n  \x1b[31mlong\x1b[0m  1\n  \x1b[31mx\x1b[0m   "
            "  2\n");
}

}  // namespace
}  // namespace stepscope
