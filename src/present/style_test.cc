#include "present/style.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(ChooseStyle, ColourOnlyWhereAPersonLooks) {
  const TerminalFacts terminal{.is_terminal = true, .columns = 120, .term = "xterm"};
  EXPECT_TRUE(ChooseStyle(terminal, {}).color);
  EXPECT_EQ(ChooseStyle(terminal, {}).width, 120u);

  TerminalFacts facts = terminal;
  facts.no_color = "1";
  EXPECT_FALSE(ChooseStyle(facts, {}).color);
  EXPECT_TRUE(ChooseStyle(facts, {.color = ColorChoice::kAlways}).color);
  facts = terminal;
  facts.term = "dumb";
  EXPECT_FALSE(ChooseStyle(facts, {}).color);
  EXPECT_FALSE(ChooseStyle({}, {}).color);
  EXPECT_FALSE(ChooseStyle(terminal, {.color = ColorChoice::kNever}).color);
}

TEST(ChooseStyle, WidthIsAskedForThenColumnsThenTheTerminalsThen100) {
  EXPECT_EQ(ChooseStyle({}, {}).width, 100u);
  EXPECT_EQ(ChooseStyle({.columns_env = "72"}, {}).width, 72u);
  EXPECT_EQ(ChooseStyle({.columns_env = "72"}, {.width = 60}).width, 60u);
  EXPECT_EQ(ChooseStyle({.columns_env = "nonsense"}, {}).width, 100u);
  EXPECT_EQ(ChooseStyle({.columns = 7}, {}).width, 60u);
  EXPECT_EQ(ChooseStyle({.columns = 4000}, {}).width, 400u);
}

TEST(ChooseStyle, AsciiWhereTheLocaleNamesAnotherCharset) {
  EXPECT_FALSE(ChooseStyle({.locale = "C"}, {}).ascii);
  EXPECT_FALSE(ChooseStyle({.locale = ""}, {}).ascii);
  EXPECT_FALSE(ChooseStyle({.locale = "en_US.UTF-8"}, {}).ascii);
  EXPECT_FALSE(ChooseStyle({.locale = "C.utf8"}, {}).ascii);
  EXPECT_TRUE(ChooseStyle({.locale = "de_DE.ISO-8859-1@euro"}, {}).ascii);
  EXPECT_TRUE(ChooseStyle({}, {.ascii = true}).ascii);
}

TEST(Bar, EighthsOfAColumn) {
  const Style unicode;
  EXPECT_EQ(unicode.Bar(0, 8), "");
  EXPECT_EQ(unicode.Bar(1, 4), "████");
  EXPECT_EQ(unicode.Bar(0.5, 4), "██");
  EXPECT_EQ(unicode.Bar(0.40625, 4), "█▋");  // 13 eighths
  EXPECT_EQ(unicode.Bar(1e-9, 4), "▏");
  EXPECT_EQ(unicode.Bar(7, 4), "████");
  const Style ascii{.ascii = true};
  EXPECT_EQ(ascii.Bar(0.5, 4), "##");
  EXPECT_EQ(ascii.Bar(1e-9, 4), "-");
  EXPECT_EQ(ascii.Bar(1, 4), "####");
}

TEST(Paint, NothingWithoutColour) {
  EXPECT_EQ(Style{}.Paint(Color::kRed, "x"), "x");
  const Style colored{.color = true};
  EXPECT_EQ(colored.Paint(Color::kRed, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(colored.Paint(Color::kRed, ""), "");
}

}  // namespace
}  // namespace stepscope
