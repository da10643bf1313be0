#pragma once

#include <string>
#include <string_view>

#include "present/json_writer.h"

namespace stepscope {

// --strict was given, or something that implies it.
void BeStrict();

// For a verb whose standard output already says what is wrong with the input.
void DamageIsShown();

// What every verb ends with: says on standard error what was wrong with the bytes of the input,
// unless the verb has shown it, and returns the exit code, which is 1 under --strict. The code of a
// wrong usage stays.
int EndWithDamage(std::string_view verb, int exit_code);

// "x.json.gz: The file ends in the middle … (at byte 1,234)"; a line for each fault.
std::string DamageText();

// `quality` of a JSON object: file, code, severity, sentence, count, offset. Empty when all is
// well.
void WriteDamage(JsonWriter& json);

}  // namespace stepscope
