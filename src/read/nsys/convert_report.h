#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "read/open_options.h"

namespace stepscope::nsys {

// "train.nsys-rep" is exported to "train.sqlite" beside it.
std::string ExportOf(const std::string& report);
// What people type to make that export.
std::string ExportCommand(const std::string& report);

// The path of `nsys`, where PATH has it.
std::optional<std::string> FindNsys();

// Runs `nsys export` if the user agrees. The export appears under its name when it is whole; an
// interrupted one leaves nothing. kUnsupported with the command where nsys is missing, nobody can
// be asked, or the answer is no.
std::optional<Error> ConvertReport(const std::string& report, const OpenOptions& options);

}  // namespace stepscope::nsys
