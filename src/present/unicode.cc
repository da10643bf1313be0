#include "present/unicode.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace stepscope {
namespace {

struct Range {
  char32_t first, last;
};

// Marks that take no column of their own: combining marks, joiners, variation selectors.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0670, 0x0670},   {0x06D6, 0x06DC}, {0x06DF, 0x06E4}, {0x0900, 0x0902}, {0x093C, 0x093C},
    {0x0941, 0x0948},   {0x094D, 0x094D}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},
    {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
    {0x20D0, 0x20F0},   {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF},
    {0xE0100, 0xE01EF},
};

// Wide and fullwidth characters of East Asian Width, and emoji shown as pictures.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26A1, 0x26A1},
    {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274C},
    {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},
    {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
    {0x1F3E0, 0x1F3F0}, {0x1F400, 0x1F43E}, {0x1F440, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F550, 0x1F567}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F7E0, 0x1F7EB},
    {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

template <size_t N>
bool IsIn(const Range (&ranges)[N], char32_t c) {
  const auto* at = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                    [](char32_t value, const Range& r) { return value < r.first; });
  return at != std::begin(ranges) && c <= std::prev(at)->last;
}

// Marks that turn the order of the text around them: a name could show as what it is not.
constexpr bool IsBidiOverride(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}
constexpr bool IsControl(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || IsBidiOverride(c);
}

// The bytes of a colour ("ESC [ 1 ; 31 m") at the front of the text; 0 where there is none.
size_t SgrBytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

// How many bytes of the text are safe to print; all of them, or up to the first that is not.
size_t SafeBytes(std::string_view text, Sgr sgr) {
  size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t') {
      ++at;
      continue;
    }
    if (byte == 0x1B && sgr == Sgr::kPasses) {
      const size_t color = SgrBytes(text.substr(at));
      if (color == 0) return at;
      at += color;
      continue;
    }
    // Line ends of CSV and of text that was made elsewhere.
    if (byte == '\r' && at + 1 < text.size() && text[at + 1] == '\n') {
      ++at;
      continue;
    }
    const CodePoint c = DecodeUtf8(text.substr(at));
    if (!c.valid || IsControl(c.value)) return at;
    at += c.bytes;
  }
  return at;
}

constexpr std::pair<char32_t, std::string_view> kAscii[] = {
    {U'µ', "u"}, {U'μ', "u"}, {U'·', "|"},   {U'×', "x"},  {U'…', "..."}, {U'→', "->"},
    {U'✔', "+"}, {U'✘', "x"}, {U'≥', ">="},  {U'≤', "<="}, {U'–', "-"},   {U'█', "#"},
    {U'▉', "#"}, {U'▊', "#"}, {U'▋', "#"},   {U'▌', "#"},  {U'▍', "-"},   {U'▎', "-"},
    {U'▏', "-"}, {U'─', "-"}, {U'│', "|"},   {U'├', "|"},  {U'└', "`"},   {U'±', "+-"},
    {U'›', ">"}, {U'•', "*"}, {U'∞', "inf"}, {U'Δ', "d"},  {U'’', "'"},
};

std::string_view AsciiOf(char32_t c) {
  for (const auto& [from, to] : kAscii) {
    if (from == c) return to;
  }
  return WidthOf(c) == 0 ? "" : "?";
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t value = lead & (0x7FU >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return {};
  }
  return {value, length, true};
}

int WidthOf(char32_t code_point) {
  if (code_point < 0x300) return 1;
  if (IsIn(kZeroWidth, code_point)) return 0;
  return IsIn(kWide, code_point) ? 2 : 1;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = DecodeUtf8(text);
    width += static_cast<size_t>(WidthOf(c.value));
    text.remove_prefix(c.bytes);
  }
  return width;
}

bool IsControlCharacter(char32_t c) { return IsControl(c); }

bool IsSafeText(std::string_view text, Sgr sgr) { return SafeBytes(text, sgr) == text.size(); }

std::string SafeText(std::string_view text, Sgr sgr) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t safe = SafeBytes(text, sgr);
    out.append(text.substr(0, safe));
    text.remove_prefix(safe);
    if (text.empty()) break;
    out.append(kReplacementUtf8);
    text.remove_prefix(DecodeUtf8(text).bytes);
  }
  return out;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = DecodeUtf8(text);
    if (c.valid && !IsControl(c.value)) {
      out.append(text.substr(0, c.bytes));
    } else {
      out.append(kReplacementUtf8);
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string ToAscii(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = DecodeUtf8(text);
    if (c.value < 0x80) {
      out.push_back(static_cast<char>(c.value));
    } else {
      out.append(AsciiOf(c.value));
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string_view FrontOfWidth(std::string_view text, size_t columns) {
  size_t bytes = 0;
  for (size_t width = 0; bytes < text.size();) {
    const CodePoint c = DecodeUtf8(text.substr(bytes));
    width += static_cast<size_t>(WidthOf(c.value));
    if (width > columns) break;
    bytes += c.bytes;
  }
  return text.substr(0, bytes);
}

std::string_view BackOfWidth(std::string_view text, size_t columns) {
  size_t left_out = DisplayWidth(text);
  size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint c = DecodeUtf8(text.substr(bytes));
    const auto width = static_cast<size_t>(WidthOf(c.value));
    // A combining mark goes with the character before it.
    if (left_out <= columns && width > 0) break;
    left_out -= width;
    bytes += c.bytes;
  }
  return text.substr(bytes);
}

std::string ShortenMiddle(std::string_view text, size_t columns, std::string_view mark) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  const size_t mark_width = DisplayWidth(mark);
  if (columns < mark_width + 4) return ShortenEnd(text, columns, mark);
  const size_t front = (columns - mark_width) * 2 / 3;
  std::string out(FrontOfWidth(text, front));
  out.append(mark).append(BackOfWidth(text, columns - mark_width - front));
  return out;
}

std::string ShortenEnd(std::string_view text, size_t columns, std::string_view mark) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  const size_t mark_width = DisplayWidth(mark);
  if (columns < mark_width) return std::string(FrontOfWidth(text, columns));
  return std::string(FrontOfWidth(text, columns - mark_width)).append(mark);
}

}  // namespace stepscope
