#include "present/unicode.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(DecodeUtf8, TakesWhatTheStandardAllows) {
  EXPECT_EQ(DecodeUtf8("A").value, U'A');
  EXPECT_EQ(DecodeUtf8("µ").value, U'µ');
  EXPECT_EQ(DecodeUtf8("€").bytes, 3u);
  EXPECT_EQ(DecodeUtf8("\xF0\x9F\x98\x80").value, char32_t{0x1F600});
}

TEST(DecodeUtf8, RefusesOverlongSurrogateTooLargeAndCut) {
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
                          "\xFF", "\xE2\x82", "\xF0\x9F"}) {
    const CodePoint c = DecodeUtf8(bad);
    EXPECT_FALSE(c.valid) << bad;
    EXPECT_EQ(c.value, kReplacement);
    EXPECT_EQ(c.bytes, 1u);
  }
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("µs"), 2u);
  EXPECT_EQ(DisplayWidth("模型"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);  // e and a combining acute accent
  EXPECT_EQ(DisplayWidth("\xF0\x9F\x98\x80"), 2u);
  EXPECT_EQ(DisplayWidth("█▏…"), 3u);
}

TEST(Printable, KeepsEscapeSequencesFromTheTerminal) {
  EXPECT_EQ(Printable("a\x1b[31mb\n\xFF"), "a\uFFFD[31mb\uFFFD\uFFFD");
  EXPECT_EQ(Printable("\xC2\x9B"), "\uFFFD");  // the one-byte form of ESC [
  EXPECT_EQ(Printable("plain"), "plain");
}

TEST(ToAscii, SpellsOurMarksAndQuestionsTheRest) {
  EXPECT_EQ(ToAscii("12.3 µs · 4 × H200 …"), "12.3 us | 4 x H200 ...");
  EXPECT_EQ(ToAscii("模e\u0301"), "?e");
}

TEST(ShortenMiddle, KeepsBothEndsAndTheWidth) {
  EXPECT_EQ(ShortenMiddle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 7), "abcd…ij");
  EXPECT_EQ(DisplayWidth(ShortenMiddle("模型模型模型模型", 8)),
            7u);  // a wide character does not fit
  EXPECT_EQ(ShortenMiddle("abcdefghij", 3), "ab…");
  EXPECT_EQ(ShortenEnd("abcdefghij", 4), "abc…");
  EXPECT_EQ(ShortenEnd("abc", 0), "");
}

TEST(ShortenMiddle, NeverExceedsTheColumns) {
  const std::string text =
      "ab模\u0301c型\xFF"
      "defghij\xF0\x9F\x98\x80xyz";
  for (size_t columns = 0; columns < 30; ++columns) {
    EXPECT_LE(DisplayWidth(ShortenMiddle(text, columns)), columns);
    EXPECT_LE(DisplayWidth(BackOfWidth(text, columns)), columns);
    EXPECT_LE(DisplayWidth(FrontOfWidth(text, columns)), columns);
  }
}

TEST(SafeText, OnlyColoursAndLinesPass) {
  const std::string ours = "\x1b[1;31mred\x1b[0m\tµs\r\n";
  EXPECT_TRUE(IsSafeText(ours, Sgr::kPasses));
  EXPECT_EQ(SafeText(ours, Sgr::kPasses), ours);
  EXPECT_EQ(SafeText("\x1b[1mx", Sgr::kNot), "\uFFFD[1mx");
  // Titles, screen clearing, C1 controls, a lone return, overrides of direction, bytes that are no
  // text.
  EXPECT_EQ(SafeText("\x1b]0;t\x07\x1b[2J\u009Bm\ra\u202Eb\u2066\xFF", Sgr::kPasses),
            "\uFFFD]0;t\uFFFD\uFFFD[2J\uFFFDm\uFFFDa\uFFFDb\uFFFD\uFFFD");
}

}  // namespace
}  // namespace stepscope
