#include "present/style.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "present/unicode.h"

namespace stepscope {
namespace {

std::string_view EscapeOf(Color color) {
  switch (color) {
    case Color::kPlain:
      return "";
    case Color::kBold:
      return "\x1b[1m";
    case Color::kDim:
      return "\x1b[2m";
    case Color::kRed:
      return "\x1b[31m";
    case Color::kGreen:
      return "\x1b[32m";
    case Color::kYellow:
      return "\x1b[33m";
    case Color::kBlue:
      return "\x1b[34m";
    case Color::kMagenta:
      return "\x1b[35m";
    case Color::kCyan:
      return "\x1b[36m";
  }
  std::unreachable();
}

bool WantsColor(const TerminalFacts& facts, ColorChoice choice) {
  switch (choice) {
    case ColorChoice::kAlways:
      return true;
    case ColorChoice::kNever:
      return false;
    case ColorChoice::kAuto:
      return facts.is_terminal && facts.no_color.empty() && facts.term != "dumb";
  }
  std::unreachable();
}

// "de_DE.ISO-8859-1" names a character set that is not ours; "C" and "" say nothing about one.
bool NamesOtherCharset(std::string_view locale) {
  const size_t dot = locale.find('.');
  if (dot == std::string_view::npos) return false;
  std::string charset;
  for (const char c : locale.substr(dot + 1)) {
    if (c == '@') break;
    if (c != '-') charset.push_back(static_cast<char>(c | 0x20));
  }
  return charset != "utf8";
}

}  // namespace

std::string Style::Clean(std::string_view text) const {
  return ascii ? ToAscii(Printable(text)) : Printable(text);
}

std::string Style::Shorten(std::string_view text, size_t columns) const {
  return ShortenMiddle(Clean(text), columns, ascii ? "..." : "…");
}

std::string Style::ShortenTail(std::string_view text, size_t columns) const {
  return ShortenEnd(Clean(text), columns, ascii ? "..." : "…");
}

std::string Style::Paint(Color which, std::string_view text) const {
  if (!color || which == Color::kPlain || text.empty()) return std::string(text);
  return std::string(EscapeOf(which)).append(text).append("\x1b[0m");
}

std::string Style::Bar(double share, size_t columns) const {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return {};
  const auto most = static_cast<double>(columns * 8);
  const auto eighths = static_cast<size_t>(std::clamp(std::round(share * most), 1.0, most));
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  bar += kEighths[eighths % 8];
  if (!ascii) return bar;
  return eighths < 8 ? "-" : std::string((eighths + 3) / 8, '#');
}

Style ChooseStyle(const TerminalFacts& facts, const StyleChoice& choice) {
  size_t width = choice.width;
  if (width == 0) {
    const char* end = facts.columns_env.data() + facts.columns_env.size();
    std::from_chars(facts.columns_env.data(), end, width);
  }
  if (width == 0) width = facts.columns;
  if (width == 0) width = 100;
  const bool ascii = choice.ascii || NamesOtherCharset(facts.locale);
  return {.color = WantsColor(facts, choice.color),
          .ascii = ascii,
          .width = std::clamp<size_t>(width, 60, 400),
          .language =
              ascii ? Language::kEnglish : choice.language.value_or(LanguageOf(facts.messages))};
}

}  // namespace stepscope
