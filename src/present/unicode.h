#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Text as a terminal sees it. Names come from files, so nothing here trusts them: bytes that are no
// UTF-8 become U+FFFD and control characters never get through.
namespace stepscope {

inline constexpr char32_t kReplacement = 0xFFFD;
inline constexpr std::string_view kReplacementUtf8 = "\xEF\xBF\xBD";

struct CodePoint {
  char32_t value = kReplacement;
  uint32_t bytes = 1;  // consumed; 1 for a byte that starts no valid sequence
  bool valid = false;
};

// The code point at the front of a non-empty text. Overlong forms, surrogates and values past
// U+10FFFF are invalid.
CodePoint DecodeUtf8(std::string_view text);

// Columns that a terminal gives the character: 0 (combining marks), 1, or 2 (wide East Asian,
// emoji). Independent of the locale, unlike wcwidth().
int WidthOf(char32_t code_point);

// Columns of a whole text. Control characters and invalid bytes count as the one U+FFFD that
// Printable() makes of them.
size_t DisplayWidth(std::string_view text);

// The text with control characters (escape sequences, line ends, tabs) and invalid bytes replaced.
// Cheap when there is nothing to replace.
std::string Printable(std::string_view text);

// Controls of ASCII and C1 (U+0080 to U+009F), and bidirectional overrides and isolates.
bool IsControlCharacter(char32_t c);

// A whole output, lines and all: control characters but line ends and tabs, bidirectional overrides
// and invalid bytes become U+FFFD. Colours (SGR escapes) pass where they may be our own.
enum class Sgr : uint8_t { kPasses, kNot };
bool IsSafeText(std::string_view text, Sgr sgr);
std::string SafeText(std::string_view text, Sgr sgr);

// The text with everything outside of ASCII spelt in ASCII: the marks that Stepscope itself uses by
// a table ("µs" → "us"), all else as '?'.
std::string ToAscii(std::string_view text);

// The longest front (or back) of the text that fits into so many columns; never cuts a character.
std::string_view FrontOfWidth(std::string_view text, size_t columns);
std::string_view BackOfWidth(std::string_view text, size_t columns);

// At most so many columns, with the mark in place of what was taken out of the middle, or off the
// end.
std::string ShortenMiddle(std::string_view text, size_t columns, std::string_view mark = "…");
std::string ShortenEnd(std::string_view text, size_t columns, std::string_view mark = "…");

}  // namespace stepscope
