#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "command/options.h"

// How every verb begins and ends.
namespace stepscope {

// Reads the arguments into what the parser fills. The verb's exit code where it ends here: --help
// is printed, or the arguments are wrong.
std::optional<int> ParseOrHelp(std::string_view verb, const OptionParser& parser,
                               std::span<char*> arguments);

// The exit code after a verb's work: what went wrong is printed, a text goes to standard output.
int ExitCodeAfter(std::string_view verb, const Result<void>& done);
int ExitCodeAfter(std::string_view verb, const Result<int>& code);
int ExitCodeAfter(std::string_view verb, const Result<std::string>& text);

}  // namespace stepscope
