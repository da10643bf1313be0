#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

// docs/exit-codes.md.
enum ExitCode : int {
  kExitFine = 0,
  kExitCannotRead = 1,  // also: cannot write
  kExitUsage = 2,
  kExitGateFailed = 3,
  kExitInterrupted = 130,
};

int ExitCodeFor(ErrorCode code);

// "stepscope report: x.json: The file is empty. (at byte 0)\n  next: …\n", safe to print.
std::string FormatError(std::string_view verb, const Error& error,
                        Language language = Language::kEnglish);

// Writes it to standard error in the terminal's language and returns the exit code.
int PrintError(std::string_view verb, const Error& error);

// "stepscope capture: …" on standard error, in the terminal's language.
void PrintNote(std::string_view verb, const Messages& note);

}  // namespace stepscope
