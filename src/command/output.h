#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "command/options.h"
#include "present/style.h"

namespace stepscope {

// What every verb that prints understands: --json --ascii --color --width --threads
// --lang.
struct OutputOptions {
  bool json = false;
  bool ascii = false;
  std::string color = "auto";
  int64_t width = 0;
  int64_t threads = 0;  // 0: one per core
  std::string lang;     // "en", "zh"; empty: not said
};
void AddOutputOptions(OptionParser& parser, OutputOptions* into);

// The style for standard output under these options.
Style StyleFor(const OutputOptions& options);

// The language of what programs read: English unless --lang says otherwise, whatever the locale.
Language JsonLanguage(const OutputOptions& options);

// Writes all of it to standard output, or says why not. A reader that went away (a closed pipe) is
// no fault.
Result<void> WriteOut(std::string_view text);

}  // namespace stepscope
