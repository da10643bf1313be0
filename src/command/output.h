#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "command/options.h"
#include "present/style.h"

namespace stepscope {

// What every verb that prints understands: --json --ascii --color --width --threads
// --lang --raw-csv.
struct OutputOptions {
  bool json = false;
  bool ascii = false;
  std::string color = "auto";
  int64_t width = 0;
  int64_t threads = 0;  // 0: one per core
  std::string lang;     // "en", "zh"; empty: not said
};
void AddOutputOptions(OptionParser& parser, OutputOptions* into);

// How the input is to be read, for every verb that reads files: --strict --memory-limit.
// AddOutputOptions adds them too.
void AddReadingOptions(OptionParser& parser);

// The style for standard output under these options.
Style StyleFor(const OutputOptions& options);

// The language of what programs read: English unless --lang says otherwise, whatever the locale.
Language JsonLanguage(const OutputOptions& options);

// Writes all of it to standard output, or says why not. A reader that went away (a closed pipe) is
// no fault. Names come from files: control characters and marks that turn text around become
// U+FFFD. `escapes` says whether the colours of a Style may pass.
enum class Escapes : uint8_t { kColors, kNone };
Result<void> WriteOut(std::string_view text, Escapes escapes = Escapes::kColors);
// The same for data that is not text: nothing is replaced.
Result<void> WriteBytesOut(std::string_view bytes);

}  // namespace stepscope
