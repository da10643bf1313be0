#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/message.h"

namespace stepscope {

enum class Color : uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// How text looks. Decided once (ChooseStyle), then passed to everything that writes text.
struct Style {
  bool color = false;
  bool ascii = false;
  size_t width = 80;
  Language language = Language::kEnglish;

  // What the message says in this language.
  std::string Say(const Message& message) const { return Render(message, language); }
  std::string Say(const Messages& messages) const { return Render(messages, language); }
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

// Says messages of these tables as text in the style's language: `const SayIn<kReportTexts>
// say(style);`
template <const auto&... kTables>
class SayIn {
 public:
  explicit SayIn(const Style& style) : style_(style) {}
  template <class... Args>
  std::string operator()(
      typename SayFrom<kTables...>::template Id<std::type_identity_t<Args>...> id,
      Args&&... args) const {
    return style_.Say(SayFrom<kTables...>()(id, std::forward<Args>(args)...));
  }

 private:
  const Style& style_;
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
  std::string messages;     // first non-empty of LC_ALL, LC_MESSAGES, LANG
};

struct StyleChoice {
  ColorChoice color = ColorChoice::kAuto;
  bool ascii = false;
  size_t width = 0;  // 0: what the terminal has
  std::optional<Language> language;
};

// Colour only on a terminal that is not dumb and without NO_COLOR, unless asked for. ASCII when
// asked for or when the locale names a character set other than UTF-8. Width: asked for, COLUMNS,
// the terminal's, else 100; between 60 and 400. Language: asked for, else the locale's; English
// where only ASCII can be shown.
Style ChooseStyle(const TerminalFacts& facts, const StyleChoice& choice);

}  // namespace stepscope
