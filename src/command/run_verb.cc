#include "command/run_verb.h"

#include "command/errors.h"
#include "command/output.h"

namespace stepscope {

std::optional<int> ParseOrHelp(std::string_view verb, const OptionParser& parser,
                               std::span<char*> arguments) {
  const Result<OptionParser::Outcome> parsed = parser.Parse(arguments);
  if (!parsed) return PrintError(verb, parsed.error());
  if (*parsed != OptionParser::Outcome::kHelp) return std::nullopt;
  return ExitCodeAfter(verb, WriteOut(parser.Help()));
}

int ExitCodeAfter(std::string_view verb, const Result<void>& done) {
  return done ? kExitFine : PrintError(verb, done.error());
}

int ExitCodeAfter(std::string_view verb, const Result<int>& code) {
  return code ? *code : PrintError(verb, code.error());
}

int ExitCodeAfter(std::string_view verb, const Result<std::string>& text) {
  return text ? ExitCodeAfter(verb, WriteOut(*text)) : PrintError(verb, text.error());
}

}  // namespace stepscope
