#pragma once

#include <string>
#include <string_view>

namespace stepscope::chrome_json {

// Appends the meaning of a JSON string's inside to `out`: escapes resolved, surrogate pairs joined.
// Escapes that JSON does not know are kept as they are (Windows paths of old writers); lone
// surrogates become U+FFFD.
void AppendUnescaped(std::string_view text, std::string& out);

bool IsValidUtf8(std::string_view text);
// Appends `text` with every maximal malformed piece replaced by U+FFFD.
void AppendRepairedUtf8(std::string_view text, std::string& out);

// Appends JSON without the white space outside of strings.
void AppendCompact(std::string_view json, std::string& out);

}  // namespace stepscope::chrome_json
