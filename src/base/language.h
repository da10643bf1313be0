#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

enum class Language : uint8_t { kEnglish, kChinese };

// "en", "zh"; nothing for any other name.
std::optional<Language> LanguageNamed(std::string_view name);
// What a locale such as "zh_CN.UTF-8" asks for; English where it asks for anything else.
Language LanguageOf(std::string_view locale);

}  // namespace stepscope
