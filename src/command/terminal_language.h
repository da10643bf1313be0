#pragma once

#include <span>

#include "base/language.h"

namespace stepscope {

// The language of what people read on the terminal outside of a verb's own output: errors, --help,
// progress. The one that the arguments ask for with --lang, else the locale's.
Language TerminalLanguage();

// Looks for --lang among the arguments before anything is printed. Nothing after "--" counts: it
// belongs to the program that is recorded.
void ChooseTerminalLanguage(std::span<char* const> arguments);

}  // namespace stepscope
