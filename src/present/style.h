#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

enum class Color : uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// How text looks. Decided once (ChooseStyle), then passed to everything that writes text.
struct Style {
  bool color = false;
  bool ascii = false;
  size_t width = 80;

  // Safe to print: no control characters, valid UTF-8, or plain ASCII.
  std::string Clean(std::string_view text) const;
  // Clean text cut to so many columns, in the middle or at the end.
  std::string Shorten(std::string_view text, size_t columns) const;
  std::string ShortenTail(std::string_view text, size_t columns) const;
  // Wraps already clean text in the colour's escape sequence, or returns it as it is.
  std::string Paint(Color color, std::string_view text) const;
  // A bar of share (0..1) of so many columns, in eighths of a column; not padded. A share above 0
  // shows at least the thinnest mark.
  std::string Bar(double share, size_t columns) const;
};

enum class ColorChoice : uint8_t { kAuto, kAlways, kNever };

// Facts about the terminal and the environment; cli/output.cc gathers them, tests make them up.
struct TerminalFacts {
  bool is_terminal = false;
  size_t columns = 0;       // of the terminal, 0: unknown
  std::string no_color;     // environment: NO_COLOR (non-empty: no colour, no-color.org)
  std::string term;         // TERM
  std::string columns_env;  // COLUMNS
  std::string locale;       // first non-empty of LC_ALL, LC_CTYPE, LANG
};

struct StyleChoice {
  ColorChoice color = ColorChoice::kAuto;
  bool ascii = false;
  size_t width = 0;  // 0: what the terminal has
};

// Colour only on a terminal that is not dumb and without NO_COLOR, unless asked for. ASCII when
// asked for or when the locale names a character set other than UTF-8. Width: asked for, COLUMNS,
// the terminal's, else 100; between 60 and 400.
Style ChooseStyle(const TerminalFacts& facts, const StyleChoice& choice);

}  // namespace stepscope
