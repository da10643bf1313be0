#include "command/terminal_language.h"

#include <cstdlib>
#include <optional>
#include <string_view>

namespace stepscope {
namespace {

Language OfLocale() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    // Read before any thread is started.
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return LanguageOf(value);
  }
  return Language::kEnglish;
}

// Set once, at the start of the program.
std::optional<Language>& Chosen() {
  static std::optional<Language> chosen;
  return chosen;
}

}  // namespace

Language TerminalLanguage() {
  if (!Chosen()) Chosen() = OfLocale();
  return *Chosen();
}

void ChooseTerminalLanguage(std::span<char* const> arguments) {
  constexpr std::string_view kName = "--lang";
  Chosen() = OfLocale();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return;
    std::optional<Language> named;
    if (word == kName && i + 1 < arguments.size()) named = LanguageNamed(arguments[i + 1]);
    if (word.starts_with(kName) && word.substr(kName.size()).starts_with('=')) {
      named = LanguageNamed(word.substr(kName.size() + 1));
    }
    if (named) Chosen() = named;
  }
}

}  // namespace stepscope
