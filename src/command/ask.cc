#include "command/ask.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "command/terminal_language.h"
#include "present/unicode.h"

namespace stepscope {

std::function<bool(const Message& question)> AskUser() {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1) return {};
  return [](const Message& question) {
    std::fputs((Printable(Render(question, TerminalLanguage())) + " [y/N] ").c_str(), stderr);
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
  };
}

}  // namespace stepscope
